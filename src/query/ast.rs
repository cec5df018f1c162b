//! The tree a filter is parsed into. The planner reads it: nothing in it is private knowledge of the matcher.

use super::show;
use crate::bson::path::Path;
use crate::bson::{DocBuilder, RawDoc, Str, Type, Value, build::write_value};
use std::fmt;
use std::sync::Arc;

/// A parsed filter: a predicate over documents.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The root of the tree. The empty filter is `And([])`, which everything matches.
    pub root: Expr,
}

/// A predicate over a document.
#[derive(Clone, Debug)]
pub enum Expr {
    /// All hold; none: always true.
    And(Vec<Expr>),
    /// One holds; none: always false.
    Or(Vec<Expr>),
    /// None holds. `Nor([a, b])` is `Not(Or([a, b]))`, kept as written.
    Nor(Vec<Expr>),
    /// Does not hold. `$not`, `$ne`, `$nin` and `{$exists: false}` are negations.
    Not(Box<Expr>),
    /// The values at a path pass a test.
    Leaf { path: Path, test: Test },
    /// `$alwaysTrue`, and what normalization found to be true of every document.
    AlwaysTrue,
    /// `$alwaysFalse`, and what normalization found to be true of none.
    AlwaysFalse,
}

/// A test of the values a path leads to: it holds if one of them passes.
///
/// Which values those are depends on the test: see [`Test::looks_into_last_array`].
#[derive(Clone, Debug)]
pub enum Test {
    /// `$eq $lt $lte $gt $gte`, within the type bracket of the operand.
    Compare(Comparison, OwnedValue),
    /// `$in`: equal to one of a set.
    In(InSet),
    /// `{$exists: true}`.
    Exists,
    /// `$type`.
    Type(TypeSet),
    /// `$elemMatch` with a filter: an element of the array is a document (or array) that it matches.
    ElemMatchDocument(Box<Expr>),
    /// `$elemMatch` with operators: an element of the array passes. The paths of the leaves of this tree are
    /// empty and mean nothing: each tests the element itself.
    ElemMatchValue(Box<Expr>),
    /// Any other test of one value: `$mod`, `$size`, ….
    Value(Arc<dyn ValueTest>),
}

impl Test {
    /// Whether an array at the end of the path gives its elements, and then itself, to the test. Otherwise only itself.
    pub fn looks_into_last_array(&self) -> bool {
        match self {
            Test::Compare(..) | Test::In(_) | Test::Exists | Test::Type(_) => true,
            Test::ElemMatchDocument(_) | Test::ElemMatchValue(_) => false,
            Test::Value(test) => test.looks_into_last_array(),
        }
    }
}

/// A test of one value that the planner need not look into.
pub trait ValueTest: Send + Sync {
    /// The operator's name.
    fn name(&self) -> &'static str;
    /// Whether the value passes; `None` is a missing one.
    fn passes(&self, value: Option<&Value<'_>>) -> bool;
    /// See [`Test::looks_into_last_array`].
    fn looks_into_last_array(&self) -> bool;
    /// Appends the test as it is written in a filter: its name and its operand.
    fn push_to(&self, doc: &mut DocBuilder);
}

impl fmt::Debug for dyn ValueTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut doc = DocBuilder::new();
        self.push_to(&mut doc);
        f.write_str(&show::document(RawDoc::from_validated(&doc.finish())))
    }
}

/// The relations of a comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Eq,
    Lt,
    Lte,
    Gt,
    Gte,
}

impl Comparison {
    /// The operator's name.
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Eq => "$eq",
            Comparison::Lt => "$lt",
            Comparison::Lte => "$lte",
            Comparison::Gt => "$gt",
            Comparison::Gte => "$gte",
        }
    }
}

/// A value that owns its bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnedValue {
    kind: Type,
    bytes: Box<[u8]>,
}

impl OwnedValue {
    /// A copy of a value.
    pub fn new(value: &Value<'_>) -> OwnedValue {
        let mut bytes = Vec::new();
        write_value(&mut bytes, value);
        OwnedValue { kind: value.kind(), bytes: bytes.into() }
    }

    /// The value.
    pub fn get(&self) -> Value<'_> {
        // The everyday operands, for every document once.
        match (self.kind, &*self.bytes) {
            (Type::Int32, &[a, b, c, d]) => return Value::Int32(i32::from_le_bytes([a, b, c, d])),
            (Type::String, [_, _, _, _, text @ .., 0]) => return Value::String(Str(text)),
            _ => {}
        }
        // What `new` wrote can be read.
        Value::read(self.kind, &self.bytes).map_or(Value::Null, |(value, _)| value)
    }
}

impl From<&Value<'_>> for OwnedValue {
    fn from(value: &Value<'_>) -> OwnedValue {
        OwnedValue::new(value)
    }
}

impl fmt::Debug for OwnedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// The operand of `$in`: values in MongoDB's order, each once.
#[derive(Clone, Debug)]
pub struct InSet {
    pub(super) values: Vec<OwnedValue>,
    pub(super) has_null: bool,
}

impl InSet {
    /// The values in MongoDB's order, each once.
    pub fn values(&self) -> &[OwnedValue] {
        &self.values
    }

    /// Whether null is among them, which a missing field equals.
    pub fn has_null(&self) -> bool {
        self.has_null
    }
}

/// The operand of `$type`: a set of types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeSet {
    /// The types, each once, as written; `number` is its four types.
    pub types: Vec<Type>,
}

impl TypeSet {
    /// Whether a type is in the set.
    pub fn has(&self, kind: Type) -> bool {
        self.types.contains(&kind)
    }
}

impl Filter {
    /// The filter that every document matches.
    pub fn all() -> Filter {
        Filter { root: Expr::And(Vec::new()) }
    }

    /// Parses a filter document.
    ///
    /// # Errors
    /// MongoDB's (2 BadValue, 9 FailedToParse, 14 TypeMismatch, …), 238 for an operator that is not built yet.
    pub fn parse(doc: RawDoc<'_>) -> crate::error::Result<Filter> {
        super::parse::Parser::new().filter(doc).map(|root| Filter { root })
    }

    /// Whether the filter has no condition at all.
    pub fn is_empty(&self) -> bool {
        match &self.root {
            Expr::And(parts) => parts.is_empty(),
            Expr::AlwaysTrue => true,
            _ => false,
        }
    }
}
