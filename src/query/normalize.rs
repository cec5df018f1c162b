//! Rewriting a filter to fewer forms without changing which documents match, for the planner.
//!
//! Rules
//! 1. `And` in `And` and `Or` in `Or` are flattened; of one part they are the part.
//! 2. `Nor` becomes a conjunction of `Not`s; `Not(Not(x))` is `x`; `Not` of `And` is an `Or` of `Not`s and the reverse.
//!    A `Not` remains only directly over a leaf. (A leaf means "one of the values passes", so a negation must never be
//!    pushed into a comparison: not-greater is not less-or-equal.)
//! 3. Constants: true is dropped from `And`, decides `Or`; false the reverse.
//! 4. An `Or` of equalities with one path is an `$in`, and so of `$in`s. Not of a regular expression: `$in` would match by it.

use super::ast::{Comparison, Expr, Filter, InSet, OwnedValue, Test};
use crate::bson::Type;
use crate::bson::path::Path;

impl Filter {
    /// The filter in normal form.
    pub fn normalize(self) -> Filter {
        Filter { root: normal(self.root) }
    }
}

fn normal(expr: Expr) -> Expr {
    match expr {
        Expr::And(parts) => conjunction(parts.into_iter().map(normal).collect()),
        Expr::Or(parts) => disjunction(parts.into_iter().map(normal).collect()),
        Expr::Nor(parts) => conjunction(parts.into_iter().map(negated).collect()),
        Expr::Not(part) => negated(*part),
        Expr::Leaf { path, test: Test::ElemMatchDocument(filter) } => {
            Expr::Leaf { path, test: Test::ElemMatchDocument(Box::new(normal(*filter))) }
        }
        Expr::Leaf { path, test: Test::ElemMatchValue(tests) } => {
            Expr::Leaf { path, test: Test::ElemMatchValue(Box::new(normal(*tests))) }
        }
        other => other,
    }
}

/// The normal form of the negation.
fn negated(expr: Expr) -> Expr {
    match expr {
        Expr::And(parts) => disjunction(parts.into_iter().map(negated).collect()),
        Expr::Or(parts) => conjunction(parts.into_iter().map(negated).collect()),
        Expr::Nor(parts) => disjunction(parts.into_iter().map(normal).collect()),
        Expr::Not(part) => normal(*part),
        Expr::AlwaysTrue => Expr::AlwaysFalse,
        Expr::AlwaysFalse => Expr::AlwaysTrue,
        leaf @ Expr::Leaf { .. } => Expr::Not(Box::new(normal(leaf))),
    }
}

fn conjunction(parts: Vec<Expr>) -> Expr {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Expr::And(inner) => flat.extend(inner),
            Expr::AlwaysTrue => {}
            Expr::AlwaysFalse => return Expr::AlwaysFalse,
            other => flat.push(other),
        }
    }
    super::parse::all_of(flat)
}

fn disjunction(parts: Vec<Expr>) -> Expr {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Expr::Or(inner) => flat.extend(inner),
            Expr::AlwaysFalse => {}
            Expr::AlwaysTrue => return Expr::AlwaysTrue,
            Expr::And(inner) if inner.is_empty() => return Expr::AlwaysTrue,
            other => flat.push(other),
        }
    }
    let mut flat = equalities_joined(flat);
    match flat.len() {
        0 => Expr::AlwaysFalse,
        1 => flat.remove(0),
        _ => Expr::Or(flat),
    }
}

/// The values of an equality or `$in` that may be joined with others on the same path.
fn joinable(expr: &Expr) -> Option<(&Path, Vec<OwnedValue>)> {
    match expr {
        Expr::Leaf { path, test: Test::Compare(Comparison::Eq, value) }
            if value.get().kind() != Type::Regex =>
        {
            Some((path, vec![value.clone()]))
        }
        Expr::Leaf { path, test: Test::In(set) } => Some((path, set.values().to_vec())),
        _ => None,
    }
}

fn equalities_joined(parts: Vec<Expr>) -> Vec<Expr> {
    // What is joined stands where its first part stood.
    let mut sets: Vec<(usize, Path, Vec<OwnedValue>)> = Vec::new();
    let mut out: Vec<Expr> = Vec::with_capacity(parts.len());
    for part in parts {
        let Some((path, values)) = joinable(&part) else {
            out.push(part);
            continue;
        };
        match sets.iter_mut().find(|(_, known, _)| known == path) {
            Some((_, _, known)) => known.extend(values),
            None => {
                sets.push((out.len(), path.clone(), values));
                out.push(part);
            }
        }
    }
    for (at, path, values) in sets {
        let set = InSet::new(values);
        let is_single =
            matches!(&out[at], Expr::Leaf { test: Test::Compare(..), .. }) && set.values().len() == 1;
        if !is_single {
            out[at] = Expr::Leaf { path, test: Test::In(set) };
        }
    }
    out
}
