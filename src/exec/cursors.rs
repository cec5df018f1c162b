//! Cursors that stay open between a command and its `getMore`s.
//!
//! Invariants
//! 1. Ids are positive and drawn from the host's randomness: nobody guesses another's.
//! 2. At most [`CURSORS_MAX`] are open; beyond, the one unused for longest ends. One unused for [`IDLE_MS_MAX`] ends,
//!    unless it was opened without time limit.
//! 3. A cursor that a `getMore` works with is out of the table until its batch is full: if the command ends otherwise, so
//!    does the cursor. Until then the id is in use: nobody else is given it, and who kills it tells that command.

use super::Executor;
use crate::catalog::Namespace;
use crate::host::Host;
use crate::query::Projection;
use crate::sorted::SortedMap;
use std::cell::Cell;
use std::rc::{Rc, Weak};

/// The most open cursors.
pub const CURSORS_MAX: usize = 1000;

/// How long a cursor may be unused, in milliseconds: MongoDB's ten minutes.
pub const IDLE_MS_MAX: i64 = 10 * 60 * 1000;

/// The id of an open cursor, never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CursorId(pub i64);

/// An execution that goes on with the next `getMore`.
#[derive(Debug)]
pub struct OpenCursor {
    pub namespace: Namespace,
    /// The collection's: a new one of the same name is another.
    /// `None` for a listing, which reads no collection.
    pub uuid: Option<[u8; 16]>,
    pub executor: Executor,
    pub projection: Option<Projection>,
    /// Whether documents get the field `$recordId`.
    pub shows_record_id: bool,
    pub no_time_limit: bool,
}

impl OpenCursor {
    /// A cursor over documents that are there already.
    pub fn of_documents(namespace: Namespace, documents: Vec<Vec<u8>>) -> OpenCursor {
        OpenCursor {
            namespace,
            uuid: None,
            executor: Executor::of_documents(documents),
            projection: None,
            shows_record_id: false,
            no_time_limit: false,
        }
    }
}

#[derive(Debug)]
struct Idle {
    cursor: OpenCursor,
    since_ms: i64,
    /// Counts uses: many of them can fall into one millisecond.
    use_number: u64,
}

/// The open cursors of an engine.
#[derive(Debug, Default)]
pub struct CursorTable {
    idle: SortedMap<CursorId, Idle>,
    /// Whether those that are worked with were killed. A command that ends, however it does, lets go of its [`Use`].
    in_use: SortedMap<CursorId, Weak<Cell<bool>>>,
    uses: u64,
}

/// Held by the command that works with a cursor.
#[derive(Debug)]
pub struct Use {
    was_killed: Rc<Cell<bool>>,
}

impl Use {
    /// Whether the cursor was killed meanwhile.
    pub fn was_killed(&self) -> bool {
        self.was_killed.get()
    }
}

/// Why a cursor is not given out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TakeError {
    NotFound,
    /// Another command works with it.
    InUse,
    /// It reads another collection: this one.
    OfOther(Namespace),
}

impl CursorTable {
    /// Keeps a cursor, under a new id.
    pub fn open(&mut self, cursor: OpenCursor, host: &mut dyn Host) -> CursorId {
        let now_ms = host.now_ms();
        self.end_unused(now_ms);
        while self.idle.len() >= CURSORS_MAX {
            let oldest = self.idle.iter().min_by_key(|(_, idle)| idle.use_number).map(|(id, _)| *id);
            match oldest {
                Some(id) => self.idle.remove(&id),
                None => break,
            };
        }
        loop {
            let mut bytes = [0; 8];
            host.random(&mut bytes);
            let id = CursorId(i64::from_le_bytes(bytes) & i64::MAX);
            if id.0 != 0 && !self.idle.contains_key(&id) && !self.is_in_use(id) {
                self.put_back(id, cursor, now_ms);
                return id;
            }
        }
    }

    /// Puts a cursor back that was taken.
    pub fn put_back(&mut self, id: CursorId, cursor: OpenCursor, now_ms: i64) {
        self.uses += 1;
        self.in_use.remove(&id);
        self.idle.insert(id, Idle { cursor, since_ms: now_ms, use_number: self.uses });
    }

    /// Takes a cursor out to work with it.
    ///
    /// # Errors
    /// If there is none of this id, or it is not of this collection; then it stays.
    pub fn take(
        &mut self,
        id: CursorId,
        namespace: &Namespace,
        now_ms: i64,
    ) -> Result<(OpenCursor, Use), TakeError> {
        self.end_unused(now_ms);
        if self.is_in_use(id) {
            return Err(TakeError::InUse);
        }
        let idle = self.idle.get(&id).ok_or(TakeError::NotFound)?;
        if idle.cursor.namespace != *namespace {
            return Err(TakeError::OfOther(idle.cursor.namespace.clone()));
        }
        let idle = self.idle.remove(&id).ok_or(TakeError::NotFound)?;
        let was_killed = Rc::new(Cell::new(false));
        self.in_use.insert(id, Rc::downgrade(&was_killed));
        Ok((idle.cursor, Use { was_killed }))
    }

    fn is_in_use(&self, id: CursorId) -> bool {
        self.in_use.get(&id).is_some_and(|used| used.strong_count() > 0)
    }

    /// Ends a cursor; says whether there was one.
    pub fn kill(&mut self, id: CursorId, now_ms: i64) -> bool {
        self.end_unused(now_ms);
        if let Some(used) = self.in_use.get(&id).and_then(Weak::upgrade) {
            used.set(true);
            return true;
        }
        self.idle.remove(&id).is_some()
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.idle.len()
    }

    fn end_unused(&mut self, now_ms: i64) {
        self.in_use.retain(|_, used| used.strong_count() > 0);
        self.idle.retain(|_, idle| {
            idle.cursor.no_time_limit || now_ms.saturating_sub(idle.since_ms) < IDLE_MS_MAX
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btree::Tree;
    use crate::catalog::Collection;
    use crate::exec::{Output, SortLimits};
    use crate::host::SeededHost;
    use crate::pager::{PageId, TreeId};
    use crate::plan::{Plan, Source};

    fn cursor(name: &str, no_time_limit: bool) -> OpenCursor {
        let namespace = Namespace::new("test", name).unwrap();
        let collection = Collection {
            namespace: namespace.clone(),
            uuid: [7; 16],
            options: Vec::new(),
            records: Tree { id: TreeId(1), root: PageId(1) },
            indexes: Vec::new(),
        };
        let plan = Plan { source: Source::Nothing, filter: None, sort: None, skip: 0, limit: None };
        let executor = Executor::new(&collection, plan, SortLimits::default(), Output::Documents);
        let uuid = Some(collection.uuid);
        OpenCursor { namespace, uuid, executor, projection: None, shows_record_id: false, no_time_limit }
    }

    #[test]
    fn a_cursor_is_given_to_its_own_collection_once() {
        let (mut host, mut table) = (SeededHost::new(1), CursorTable::default());
        let id = table.open(cursor("c", false), &mut host);
        assert!(id.0 > 0);
        let (own, other) = (Namespace::new("test", "c").unwrap(), Namespace::new("test", "d").unwrap());
        let now = host.now_ms();
        assert_eq!(table.take(id, &other, now).unwrap_err(), TakeError::OfOther(own.clone()));
        assert!(table.take(id, &own, now).is_ok());
        assert_eq!(table.take(id, &own, now).unwrap_err(), TakeError::NotFound);
        assert!(!table.kill(id, now));
        // While one works with it.
        let id = table.open(cursor("c", false), &mut host);
        let (taken, used) = table.take(id, &own, now).unwrap();
        assert_eq!(table.take(id, &own, now).unwrap_err(), TakeError::InUse);
        assert!(!used.was_killed() && table.kill(id, now) && used.was_killed());
        table.put_back(id, taken, now);
        assert!(table.take(id, &own, now).is_ok());
    }

    #[test]
    fn unused_cursors_end_after_ten_minutes() {
        let (mut host, mut table) = (SeededHost::new(1), CursorTable::default());
        let own = Namespace::new("test", "c").unwrap();
        let (ends, stays) =
            (table.open(cursor("c", false), &mut host), table.open(cursor("c", true), &mut host));
        let used = table.open(cursor("c", false), &mut host);
        let later = host.now_ms() + IDLE_MS_MAX / 2;
        let (taken, _) = table.take(used, &own, later).unwrap();
        table.put_back(used, taken, later);
        let end = host.now_ms() + IDLE_MS_MAX;
        assert_eq!(table.take(ends, &own, end).unwrap_err(), TakeError::NotFound);
        assert!(table.kill(stays, end));
        assert!(table.kill(used, end));
    }

    #[test]
    fn too_many_cursors_end_the_one_unused_for_longest() {
        let (mut host, mut table) = (SeededHost::new(1), CursorTable::default());
        let ids: Vec<CursorId> =
            (0..=CURSORS_MAX).map(|_| table.open(cursor("c", false), &mut host)).collect();
        let now = host.now_ms();
        assert_eq!(table.count(), CURSORS_MAX);
        assert!(!table.kill(ids[0], now));
        assert!(table.kill(ids[1], now));
    }
}
