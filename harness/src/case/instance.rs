//! A variant with one of its rows filled in: what is really played.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};
use transcript::{By, Effect, Message, Role, ToolCall};

use super::folder::clean_path;
use super::model::{CheckerRef, Step, ToolDecl, Turn, Variant};
use super::table::Row;
use super::trial::context_of;
use crate::replay::PlayStep;
use crate::template::{Context, TemplateError, ValueTemplate};

/// A case ready to be played.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// The row, counted from 1.
    pub row: usize,
    /// The parameters: the row's and those derived from it.
    pub params: Row,
    /// What is played, in order.
    pub steps: Vec<PlayStep>,
    /// The tools the subject is offered.
    pub tools: Vec<InstanceTool>,
    /// The workspace at the start, by paths with forward slashes.
    pub files: BTreeMap<String, Arc<[u8]>>,
    /// Who judges.
    pub checker: CheckerRef,
}

/// A tool as it is offered.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceTool {
    /// Its name.
    pub name: String,
    /// What the model is told about it, when it is not the standard text.
    pub description: Option<String>,
    /// The JSON Schema of its arguments, when it is not the standard one.
    pub parameters: Option<Map<String, Value>>,
    /// What a call does to the world, when it is not what the standard tool does.
    pub effect: Option<Effect>,
    /// Its scripted answers; empty for the standard behaviour.
    pub answers: Vec<Answer>,
}

impl InstanceTool {
    /// The declaration in JSON: the bare name of a standard tool, or an object with what the case sets.
    #[must_use]
    pub fn declaration(&self) -> Value {
        let mut declared = Map::new();
        let own = [
            ("description", self.description.clone().map(Value::from)),
            ("parameters", self.parameters.clone().map(Value::from)),
            ("effect", self.effect.map(|effect| json!(effect))),
        ];
        declared.extend(own.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        if !self.answers.is_empty() {
            declared.insert("answers".to_owned(), self.answers.iter().map(|answer| json!(answer)).collect());
        }
        if declared.is_empty() {
            return self.name.clone().into();
        }
        declared.insert("name".to_owned(), self.name.clone().into());
        declared.into()
    }
}

/// A scripted answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The arguments a call must have; empty for any call.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub when: Map<String, Value>,
    /// What the tool answers.
    pub content: String,
    /// Whether the tool reports a failure.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// Why an instance could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// The table has no such row.
    #[error("there is no row {row}; the table has {rows}")]
    NoRow {
        /// The row that was asked for, counted from 1.
        row: usize,
        /// How many there are.
        rows: usize,
    },
    /// A template cannot be filled in.
    #[error("row {row}: {source}")]
    Template {
        /// The row, counted from 1.
        row: usize,
        /// What is wrong.
        source: TemplateError,
    },
    /// A path in `files` is none for a workspace.
    #[error("row {row}: the workspace path `{path}` {why}")]
    Path {
        /// The row, counted from 1.
        row: usize,
        /// The path.
        path: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Variant {
    /// Fills in the row with the given index, counted from 0; 0 is the canonical one.
    ///
    /// # Errors
    /// When there is no such row. The templates were tried on every row when the case was loaded.
    pub fn instance(&self, row_index: usize) -> Result<Instance, InstanceError> {
        let row = row_index + 1;
        let values = self
            .table
            .rows
            .get(row_index)
            .ok_or(InstanceError::NoRow { row, rows: self.table.rows.len() })?;
        let template = |source| InstanceError::Template { row, source };
        let (params, context) = context_of(values, &self.derived, self.charter.as_ref()).map_err(template)?;
        let steps = self.script.iter().map(|step| play_step(step, &context)).collect::<Result<_, _>>();
        let tools = self.tools.iter().map(|tool| instance_tool(tool, &context)).collect::<Result<_, _>>();
        Ok(Instance {
            row,
            steps: steps.map_err(template)?,
            tools: tools.map_err(template)?,
            files: self.files_of(row, &context)?,
            checker: self.checker.clone(),
            params,
        })
    }

    fn files_of(&self, row: usize, context: &Context) -> Result<BTreeMap<String, Arc<[u8]>>, InstanceError> {
        let mut files = self.workspace.clone();
        for file in &self.files {
            let template = |source| InstanceError::Template { row, source };
            for (path, content) in file.render(context).map_err(template)? {
                let path = clean_path(&path).map_err(|why| InstanceError::Path { row, path, why })?;
                files.insert(path, content.into_bytes().into());
            }
        }
        Ok(files)
    }
}

fn play_step(step: &Step, context: &Context) -> Result<PlayStep, TemplateError> {
    Ok(match step {
        Step::Reply { max_steps } => PlayStep::Reply { max_steps: *max_steps },
        Step::Say { turn, omitted } => PlayStep::Say { message: message(turn, context)?, omitted: *omitted },
    })
}

fn message(turn: &Turn, context: &Context) -> Result<Message, TemplateError> {
    Ok(match turn {
        Turn::User(text) => Message::text(Role::User, By::Script, text.render(context)?),
        Turn::Assistant { say, calls } => {
            let text = say.as_ref().map(|say| say.render(context)).transpose()?.unwrap_or_default();
            let mut message = Message::text(Role::Assistant, By::Script, text);
            for call in calls {
                let arguments = call.arguments.render(context)?;
                message.tool_calls.push(ToolCall { id: call.id.clone(), name: call.tool.clone(), arguments });
            }
            message
        }
        Turn::Tool { call_id, name, content, is_error } => {
            let mut message = Message::text(Role::Tool, By::Script, content.render(context)?);
            message.tool_call_id = Some(call_id.clone());
            message.name = Some(name.clone());
            message.is_error = *is_error;
            message
        }
    })
}

fn instance_tool(tool: &ToolDecl, context: &Context) -> Result<InstanceTool, TemplateError> {
    let answer = |answer: &super::model::AnswerTemplate| {
        Ok(Answer {
            when: render_fields(&answer.when, context)?,
            content: answer.content.render(context)?,
            is_error: answer.is_error,
        })
    };
    Ok(InstanceTool {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.parameters.clone(),
        effect: tool.effect,
        answers: tool.answers.iter().map(answer).collect::<Result<_, TemplateError>>()?,
    })
}

fn render_fields(
    fields: &[(String, ValueTemplate)],
    context: &Context,
) -> Result<Map<String, Value>, TemplateError> {
    fields.iter().map(|(name, value)| Ok((name.clone(), value.render(context)?))).collect()
}
