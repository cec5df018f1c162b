//! The table of update operators: one operator, one file, one row.

mod add_to_set;
mod arithmetic;
mod array_clauses;
mod min_max;
mod pop;
mod pull;
mod push;
mod set;
mod unset;

pub use set::Set;

use super::path;
use super::tree::Tree;
use crate::bson::{RawDoc, Value};
use crate::error::{Code, Error, Result};
use crate::query::operators::Support;
use crate::query::{OwnedValue, show};
use std::fmt;
use std::sync::Arc;

/// One operator with its operand, at one path.
pub trait Operator: Send + Sync {
    /// What becomes of a value that is there.
    fn on_existing(&self, value: &Value<'_>, place: &Place<'_>) -> Result<Effect>;
    /// The value to create where there is none; `None` creates nothing.
    fn on_missing(&self) -> Option<OwnedValue>;
    /// What a path means that leads through a scalar, or by a name into an array.
    fn on_blocked(&self) -> Blocked {
        Blocked::CannotCreate
    }
    /// Whether the operator acts in the insert of an upsert only.
    fn insert_only(&self) -> bool {
        false
    }
    /// Whether what it creates is an array that grows: a message about `_id` differs.
    fn creates_array(&self) -> bool {
        false
    }
}

impl fmt::Debug for dyn Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("operator")
    }
}

/// Where an operator is being applied, for its messages.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The whole path.
    pub path: &'a str,
    /// The document as it was.
    pub doc: RawDoc<'a>,
}

impl Place<'_> {
    /// The last component of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }

    /// The document's `_id` as messages show it.
    pub fn id(&self) -> String {
        match self.doc.get("_id") {
            Some(id) => format!("{{{}}}", show::element("_id", &id)),
            None => "{no id}".into(),
        }
    }
}

/// What an operator makes of a value.
#[derive(Clone, Debug)]
pub enum Effect {
    Keep,
    Replace(OwnedValue),
    /// In an array a null takes the place.
    Remove,
}

/// What to do about a path that leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// Error 28: the field cannot be created.
    CannotCreate,
    /// Error 28: the path cannot be followed.
    CannotTraverse,
    /// Nothing to do there.
    Nothing,
}

/// Parses the operand of an operator at a path.
pub type Parse = fn(path: &str, operand: &Value<'_>) -> Result<Arc<dyn Operator>>;

/// A row of [`ALL`].
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub support: Support<Parse>,
}

const fn done(name: &'static str, parse: Parse) -> Row {
    Row { name, support: Support::Done(parse) }
}

const fn not_yet(name: &'static str) -> Row {
    Row { name, support: Support::NotYet }
}

/// The update operators.
pub static ALL: &[Row] = &[
    done("$set", set::parse_set),
    done("$setOnInsert", set::parse_set_on_insert),
    done("$unset", unset::parse),
    done("$inc", arithmetic::parse_inc),
    done("$mul", arithmetic::parse_mul),
    done("$min", min_max::parse_min),
    done("$max", min_max::parse_max),
    done("$push", push::parse),
    done("$addToSet", add_to_set::parse),
    done("$pop", pop::parse),
    done("$pull", pull::parse_pull),
    done("$pullAll", pull::parse_pull_all),
    not_yet("$bit"),
    not_yet("$currentDate"),
    not_yet("$rename"),
];

/// Parses a document of operators.
///
/// # Errors
/// 9 for unknown names and wrong operands, 40 for conflicts, those of paths and operators.
pub(super) fn parse(update: RawDoc<'_>) -> Result<Tree> {
    let failed = |text: String| Error::new(Code::FailedToParse, text);
    let mut tree = Tree::default();
    for element in update.iter() {
        let name = element.name.as_str();
        let row = ALL.iter().find(|row| row.name == name).ok_or_else(|| {
            failed(format!(
                "Unknown modifier: {name}. Expected a valid update modifier or pipeline-style update specified as an array"
            ))
        })?;
        let Value::Document(fields) = element.value else {
            let (kind, shown) = (element.value.kind().alias(), show::element(name, &element.value));
            return Err(failed(format!(
                "Modifiers operate on fields but we found type {kind} instead. For example: {{$mod: {{<field>: ...}}}} not {{{shown}}}"
            )));
        };
        let parse = match row.support {
            Support::Done(parse) => parse,
            Support::NotYet => {
                return Err(Error::not_implemented(format_args!("the update operator {name}")));
            }
        };
        for field in fields.iter() {
            let path = field.name.as_str();
            path::check(path)?;
            tree.insert(path, parse(path, &field.value)?)?;
        }
    }
    Ok(tree)
}
