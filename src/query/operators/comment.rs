//! `$comment`: any value, no condition.

use super::super::ast::Expr;
use super::super::parse::Parser;
use crate::bson::Value;
use crate::error::Result;

/// Adds nothing.
pub fn parse(_: &mut Parser, _: &str, _: &Value<'_>) -> Result<Option<Expr>> {
    Ok(None)
}
