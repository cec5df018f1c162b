//! `$size`: an array of that many elements.

use super::super::ast::{Expr, Test, ValueTest};
use super::super::parse::{FieldArgs, Parser};
use super::super::show;
use super::integer;
use crate::bson::{DocBuilder, Value};
use crate::error::{Code, Error, Result};
use std::sync::Arc;

struct Size {
    count: usize,
}

impl ValueTest for Size {
    fn name(&self) -> &'static str {
        "$size"
    }

    fn passes(&self, value: Option<&Value<'_>>) -> bool {
        value.and_then(|v| v.as_array()).is_some_and(|array| array.count() == self.count)
    }

    fn looks_into_last_array(&self) -> bool {
        false
    }

    fn push_to(&self, doc: &mut DocBuilder) {
        // As MongoDB has it, an int.
        doc.push(self.name(), i32::try_from(self.count).unwrap_or(i32::MAX));
    }
}

/// `{$size: n}`.
pub fn parse(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    let count =
        count_of(args).map_err(|why| Error::new(Code::BadValue, format!("Failed to parse $size. {why}")))?;
    Ok(Expr::Leaf { path: args.path.clone(), test: Test::Value(Arc::new(Size { count })) })
}

fn count_of(args: &FieldArgs<'_>) -> Result<usize, String> {
    let wide = integer::exact(args.name, &args.operand)?;
    let shown = || show::element(args.name, &args.operand);
    let narrow = i32::try_from(wide).map_err(|_| format!("Cannot represent {} in an int", shown()))?;
    usize::try_from(narrow).map_err(|_| format!("Expected a non-negative number in: {}", shown()))
}

#[cfg(test)]
mod tests {
    use crate::query::tests::{check, refused};

    #[test]
    fn the_number_of_elements() {
        check(
            r#"{"a": {"$size": 1}}"#,
            &[r#"{"a": [[1, 2]]}"#, r#"{"a": [5]}"#],
            &[r#"{"a": 5}"#, r#"{"a": []}"#, "{}"],
        );
        check(r#"{"a": {"$size": 2.0}}"#, &[r#"{"a": [5, 6]}"#], &[r#"{"a": [[5, 6]]}"#]);
        check(r#"{"a.b": {"$size": 0}}"#, &[r#"{"a": [{"b": []}]}"#], &[r#"{"a": []}"#]);
    }

    #[test]
    fn operands() {
        let failed = |why: &str| format!("Failed to parse $size. {why}");
        refused(&[
            (r#"{"a": {"$size": "a"}}"#, 2, &failed("Expected a number in: $size: \"a\"")),
            (r#"{"a": {"$size": -1}}"#, 2, &failed("Expected a non-negative number in: $size: -1")),
            (r#"{"a": {"$size": 1.5}}"#, 2, &failed("Expected an integer: $size: 1.5")),
            (r#"{"a": {"$size": 2147483648}}"#, 2, &failed("Cannot represent $size: 2147483648 in an int")),
        ]);
    }
}
