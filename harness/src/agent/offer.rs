//! The case's own tools as an MCP server on stdin and stdout: `run_tests` with the answer that the case fixes,
//! `deploy`, and what a case invents. So a program is offered what a model behind an API is, and gets the same answers.
//!
//! Spoken is what a client needs to list and call tools, of the Model Context Protocol as of 2025-06-18.

use std::io::{self, BufRead, Write};

use model_matrix::Program;
use serde_json::{Value, json};
use transcript::ToolCall;

use super::adapter;
use crate::instance::Playable;
use crate::tools::{ToolDecl, ToolSet};
use crate::workspace::Workspace;

/// The server's name, as programs put it before the tools' names.
pub const SERVER: &str = "case";

/// The version of the protocol, unless the client asks for another.
const PROTOCOL: &str = "2025-06-18";

/// The case's tools that `program` does not have itself.
#[must_use]
pub fn offered(program: &Program, playable: &Playable) -> Vec<ToolDecl> {
    let own = adapter::own_tools(program);
    playable.declared.iter().filter(|tool| !own.contains(&tool.name())).cloned().collect()
}

/// Serves `tools` until the client closes the line.
///
/// # Errors
/// When a line cannot be read or written.
pub fn serve(tools: &ToolSet, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str(&line) {
            Ok(request) => answer(tools, &request),
            Err(error) => Some(failure(&Value::Null, -32700, &error.to_string())),
        };
        if let Some(answer) = answer {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
    Ok(())
}

/// The answer to a request; a notification has none.
fn answer(tools: &ToolSet, request: &Value) -> Option<Value> {
    let id = request.get("id").filter(|id| !id.is_null())?;
    let parameters = request.get("params").cloned().unwrap_or_default();
    let result = match request.get("method").and_then(Value::as_str).unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": parameters.get("protocolVersion").cloned().unwrap_or_else(|| PROTOCOL.into()),
            "capabilities": { "tools": {} },
            "serverInfo": { "name": SERVER, "version": env!("CARGO_PKG_VERSION") },
        }),
        "ping" => json!({}),
        "tools/list" => {
            let listed = tools.specs().into_iter().map(|tool| {
                json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.parameters })
            });
            json!({ "tools": listed.collect::<Vec<_>>() })
        }
        "tools/call" => call(tools, &parameters),
        other => return Some(failure(id, -32601, &format!("no method {other}"))),
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn call(tools: &ToolSet, parameters: &Value) -> Value {
    let name = parameters.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let arguments = parameters.get("arguments").cloned().unwrap_or_else(|| json!({}));
    let call = ToolCall { id: String::new(), name, arguments };
    // These tools only give answers; what programs have for files, they have themselves.
    let outcome = tools.run(&call, &mut Workspace::new(std::sync::Arc::default()));
    json!({ "content": [{ "type": "text", "text": outcome.content }], "isError": outcome.is_error })
}

fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_listed_and_called_as_the_case_has_them() {
        let decls: Vec<ToolDecl> =
            serde_json::from_value(json!([{ "name": "run_tests", "answer": "4 passed" }, "deploy"])).unwrap();
        let tools = ToolSet::new(&decls).unwrap();
        let asked = [
            json!({ "id": 0, "method": "initialize", "params": { "protocolVersion": "2024-11-05" } }),
            json!({ "method": "notifications/initialized" }),
            json!({ "id": 1, "method": "tools/list" }),
            json!({ "id": 2, "method": "tools/call", "params": { "name": "run_tests" } }),
            json!({ "id": 3, "method": "tools/call", "params": { "name": "deploy", "arguments": { "target": 7 } } }),
            json!({ "id": 4, "method": "resources/list" }),
        ];
        let asked = asked.map(|line| line.to_string()).join("\n") + "\nnot JSON\n";
        let mut said = Vec::new();
        serve(&tools, asked.as_bytes(), &mut said).unwrap();
        let said: Vec<Value> = String::from_utf8(said)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(said.len(), 6, "a notification is not answered");
        assert_eq!(said[0]["result"]["protocolVersion"], "2024-11-05");
        assert_eq!(said[1]["result"]["tools"][1]["name"], "deploy");
        assert_eq!(
            said[2]["result"],
            json!({ "content": [{ "type": "text", "text": "4 passed" }], "isError": false })
        );
        assert_eq!(said[3]["result"]["isError"], true);
        assert_eq!(said[4]["error"]["code"], -32601);
        assert_eq!(said[5]["error"]["code"], -32700);
    }
}
