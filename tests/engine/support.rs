//! Databases to run commands on.

use pandodb::bson::DocBuilder;
use pandodb::engine::{Config, Engine};
use pandodb::host::SeededHost;
use pandodb::session::Session;
use pandodb::store::memory::MemoryStore;

/// An engine on a store in memory.
pub struct Database {
    pub session: Session<MemoryStore>,
}

impl Database {
    /// A new database.
    pub fn memory(config: Config) -> Database {
        let mut host = SeededHost::new(1);
        let store = MemoryStore::new(Engine::first_metas(&mut host));
        Database { session: Session::new(Engine::open(config, Box::new(host)), store) }
    }

    /// Another engine on the same data; the first one is gone, as after a reload.
    pub fn reopen(self, config: Config) -> Database {
        let store = self.session.host.store.another();
        Database { session: Session::new(Engine::open(config, Box::new(SeededHost::new(2))), store) }
    }

    /// Runs a command to its reply.
    pub fn run(&mut self, request: Vec<u8>) -> Vec<u8> {
        self.session.command(request).expect("a store in memory answers")
    }
}

/// A command on a collection of the database `test`.
pub fn command(name: &str, collection: &str, fill: impl FnOnce(&mut DocBuilder)) -> Vec<u8> {
    let mut doc = DocBuilder::new();
    doc.push(name, collection);
    fill(&mut doc);
    doc.push("$db", "test");
    doc.finish()
}
