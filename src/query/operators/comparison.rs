//! `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`.

use super::super::ast::{Comparison, Expr};
use super::super::parse::{FieldArgs, Parser, compare, equality};
use crate::bson::Type;
use crate::error::{Code, Error, Result};

/// `{$eq: value}`. A regular expression is compared as a value here, not matched.
pub fn eq(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    equality(args.path.clone(), &args.operand)
}

/// `{$ne: value}`: not `$eq`.
pub fn ne(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    if args.operand.kind() == Type::Regex {
        return Err(Error::new(Code::BadValue, "Can't have regex as arg to $ne."));
    }
    Ok(Expr::Not(Box::new(equality(args.path.clone(), &args.operand)?)))
}

/// `{$gt: value}` and its three siblings.
pub fn ordered(_: &mut Parser, args: &FieldArgs<'_>) -> Result<Expr> {
    let relation = match args.name {
        "$gt" => Comparison::Gt,
        "$gte" => Comparison::Gte,
        "$lt" => Comparison::Lt,
        _ => Comparison::Lte,
    };
    if args.operand.kind() == Type::Regex {
        let text = format!("Can't have RegEx as arg to predicate over field '{}'.", args.path.as_str());
        return Err(Error::new(Code::BadValue, text));
    }
    compare(args.path.clone(), relation, &args.operand)
}
