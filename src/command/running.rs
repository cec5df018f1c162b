//! What a command is while it runs.

use crate::catalog::{CatalogCache, Collection, Namespace};
use crate::command::Settings;
use crate::error::Error;
use crate::exec::CursorTable;
use crate::host::Host;
use crate::pager::state::Pager;
use crate::pager::views::{ReadView, WriteView};
use crate::step::{SpillReply, Step};
use crate::store::Durability;
use std::any::Any;
use std::rc::Rc;

/// Names a submitted command until it was answered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TaskId(pub u64);

/// What a step of a command sees of the engine.
pub struct Context<'a> {
    pub pager: &'a mut Pager,
    pub catalog: &'a mut CatalogCache,
    pub host: &'a mut dyn Host,
    pub cursors: &'a mut CursorTable,
    pub settings: &'a Settings,
    /// The last timestamp given, so that the next is larger.
    pub last_timestamp: &'a mut u64,
    pub task: TaskId,
    /// The answer to the [`crate::step::Stop::Spill`] of the last try, for whoever returned it to take.
    pub spilled: &'a mut Option<SpillReply>,
    /// Work done in this step beyond the one unit that every step counts, in rows looked at.
    pub rows_spent: u32,
}

impl Context<'_> {
    /// Committed pages: what a reading command sees.
    pub fn reader(&self) -> ReadView<'_> {
        self.pager.reader()
    }

    /// The collection of a name, as reads see it.
    pub fn collection(&mut self, namespace: &Namespace) -> Step<Option<Rc<Collection>>> {
        self.catalog.committed_collection(self.pager, namespace)
    }

    /// The collection of a name, as writes see it.
    pub fn collection_for_write(&mut self, namespace: &Namespace) -> Step<Option<Rc<Collection>>> {
        let roots = self.pager.roots_mut().catalog;
        self.catalog.collection(&self.pager.writer(), roots, namespace)
    }

    /// A new ObjectId: seconds, then random bytes (the driver makes most; a server's are as good when nobody counts).
    pub fn object_id(&mut self) -> [u8; 12] {
        let mut id = [0; 12];
        self.host.random(&mut id[4..]);
        let seconds = (self.host.now_ms() / 1000) as u32;
        id[..4].copy_from_slice(&seconds.to_be_bytes());
        id
    }

    /// A timestamp larger than all given before.
    pub fn timestamp(&mut self) -> u64 {
        let seconds = (self.host.now_ms() / 1000) as u64;
        let next = ((seconds << 32) | 1).max(*self.last_timestamp + 1);
        *self.last_timestamp = next;
        next
    }

    /// Pages with all changes that are not committed yet: what a writing command sees.
    pub fn writer(&mut self) -> WriteView<'_> {
        self.pager.writer()
    }
}

/// How far a step got.
#[derive(Debug)]
pub enum Progress {
    /// A unit of work is done (a row looked at, a document written); the pages it needed may go.
    More,
    /// The command is done; the reply document.
    Reply(Vec<u8>),
}

/// A writer's position, from which it can be taken up again.
pub type Saved = Box<dyn Any>;

/// Whether a command reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Sees committed pages only. Any number run at a time.
    Read,
    /// Sees and makes changes. One runs at a time; it is answered when the commit of all that it saw has landed.
    Write,
}

/// A parsed command that runs step by step.
///
/// Rules
/// 1. `step` does one unit of work. When it returns a stop other than `Failed`, the command is as it was before, and
///    the step is done again.
/// 2. A writer's step ends between two documents, or says so by [`Running::is_mid_document`]; a commit is never cut
///    there.
/// 3. `restore` puts a writer back where `save` was taken: what it wrote since is not in the store and is done again.
pub trait Running {
    /// Whether the command reads or writes. Asked once.
    fn access(&self) -> Access;

    /// Does one unit of work.
    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress>;

    /// Whether a document is half written.
    fn is_mid_document(&self) -> bool {
        false
    }

    /// The position to take up again from.
    fn save(&self) -> Saved {
        Box::new(())
    }

    /// Goes back to a saved position.
    fn restore(&mut self, saved: &Saved) {
        let _ = saved;
    }

    /// The store refused the set, and the writer is back where it stood before it. What a command answers that had
    /// changed something in earlier sets: how far it got, with the error. `None`: the error alone.
    fn refused(&mut self, error: &Error) -> Option<Vec<u8>> {
        let _ = error;
        None
    }

    /// Another context has committed and the state was read anew. Whatever was concluded from pages and not written is
    /// to be concluded again.
    fn state_read_anew(&mut self) {}

    /// What the writer asks of its commit: `writeConcern: {j: true}` is strict.
    fn durability(&self) -> Durability {
        Durability::Relaxed
    }

    /// `maxTimeMS`, if given.
    fn time_limit_ms(&self) -> Option<u64> {
        None
    }
}
