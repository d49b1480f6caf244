//! An instance made ready to be played: the script filled in, the tools built, the workspace laid out. Made once and
//! shared by all trials and models.

use std::sync::Arc;

use model_matrix::ToolSpec;
use reports::Cell;
use serde_json::{Map, Value};

use crate::case::InstanceError;
use crate::replay::PlayStep;
use crate::sitting::material::Material;
use crate::template::TemplateError;
use crate::tools::{ToolDecl, ToolSet, ToolSetError};
use crate::workspace::Tree;

/// Why an instance cannot be played. The loader rules these out; they can only come from inputs changed since.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayableError {
    /// The plan names a case or variant that is not there.
    #[error("{0}: the plan owes it, but there is no such case")]
    Unknown(String),
    /// A template cannot be filled in.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// A trace cannot be filled in.
    #[error("a trace: {0}")]
    Trace(#[from] TemplateError),
    /// A tool's declaration cannot be read.
    #[error("{0}: {1}")]
    Declaration(String, serde_json::Error),
    /// A tool cannot be built.
    #[error("{0}: {1}")]
    Tool(String, Box<ToolSetError>),
}

/// An instance, ready to be played.
#[derive(Debug)]
pub struct Playable {
    /// The parameters.
    pub params: Map<String, Value>,
    /// The script.
    pub steps: Vec<PlayStep>,
    /// The tools.
    pub tools: ToolSet,
    /// The tools as the case declares them.
    pub declared: Vec<ToolDecl>,
    /// The tools as subjects are told of them.
    pub specs: Vec<ToolSpec>,
    /// The workspace at the start.
    pub files: Arc<Tree>,
    /// The checker, as `name@version`.
    pub checker: String,
    /// The digest of the case's folder.
    pub case_sha256: String,
}

impl Playable {
    /// Makes the instance of `cell` ready.
    ///
    /// # Errors
    /// [`PlayableError`].
    pub fn new(material: &Material, cell: &Cell) -> Result<Self, PlayableError> {
        let unknown = || PlayableError::Unknown(cell.to_string());
        let case = material.cases().find(|case| case.id == cell.case).ok_or_else(unknown)?;
        let variant = case.variant(cell.variant.as_deref()).ok_or_else(unknown)?;
        let instance = variant.instance(cell.row.saturating_sub(1))?;
        let declared: Vec<ToolDecl> = instance
            .tools
            .iter()
            .map(|tool| serde_json::from_value(tool.declaration()))
            .collect::<Result<_, _>>()
            .map_err(|error| PlayableError::Declaration(cell.to_string(), error))?;
        let tools = ToolSet::new(&declared).map_err(|errors| match errors.into_iter().next() {
            Some(error) => PlayableError::Tool(cell.to_string(), Box::new(error)),
            None => unknown(),
        })?;
        let specs = tools
            .specs()
            .into_iter()
            .map(|spec| ToolSpec {
                name: spec.name,
                description: spec.description,
                parameters: spec.parameters,
            })
            .collect();
        Ok(Self {
            params: instance.params,
            steps: instance.steps,
            tools,
            declared,
            specs,
            files: Arc::new(instance.files),
            checker: instance.checker.to_string(),
            case_sha256: case.digest.clone(),
        })
    }
}
