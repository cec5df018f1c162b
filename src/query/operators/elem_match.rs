//! `$elemMatch`: one element of an array satisfies everything at once.

use super::super::ast::{Expr, Test};
use super::super::parse::{FieldArgs, Parser, all_of, is_operator_document};
use crate::bson::Value;
use crate::bson::path::Path;
use crate::error::{Code, Error, Result};

/// `{$elemMatch: {$gt: 1, …}}` tests the elements themselves, `{$elemMatch: {field: …}}` the documents among them.
pub fn parse(parser: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    let Value::Document(doc) = args.operand else {
        return Err(Error::new(Code::BadValue, "$elemMatch needs an Object"));
    };
    let of_values = is_operator_document(doc, true)
        && doc.first().is_some_and(|first| super::top_level(first.name.as_str()).is_none());
    let test = if of_values {
        let mut parts = Vec::new();
        parser.operators(&Path::parse(""), doc, &mut parts)?;
        Test::ElemMatchValue(Box::new(all_of(parts)))
    } else {
        Test::ElemMatchDocument(Box::new(parser.element_filter(doc)?))
    };
    Ok(Expr::Leaf { path: args.path.clone(), test })
}
