//! The engine as a native process: commands in on stdin, replies out on stdout, over a store in memory.
//!
//! For the differential (`tests/oracle/run.mjs --native`): beside the wasm build it has overflow checks and debug
//! assertions, needs no wasm toolchain, and runs under every residency of pages.
//!
//! A frame is a length (u32, little endian) and so many bytes: a command with its `$db`, or the reply. A frame of length 0
//! asks for a new engine on an empty store and is answered by one of length 0. Ends with its input.
//!
//!     engine-pipe [all | none | random:SEED] [cache bytes]

use pandodb::engine::{Config, Engine, Residency};
use pandodb::host::SeededHost;
use pandodb::session::Session;
use pandodb::store::memory::MemoryStore;
use std::io::{self, BufReader, Read, Write};

fn open(config: &Config) -> Session<MemoryStore> {
    let mut host = SeededHost::new(1);
    let store = MemoryStore::new(Engine::first_metas(&mut host));
    Session::new(Engine::open(config.clone(), Box::new(host)), store)
}

fn config_from(arguments: &[String]) -> Result<Config, String> {
    let mut config = Config::default();
    for argument in arguments {
        match (argument.as_str(), argument.strip_prefix("random:"), argument.parse::<usize>()) {
            ("all", ..) => config.residency = Residency::All,
            ("none", ..) => config.residency = Residency::None,
            (_, Some(seed), _) => {
                config.residency = Residency::Random(seed.parse().map_err(|_| format!("no seed: {seed}"))?)
            }
            (.., Ok(bytes)) => config.cache_bytes_max = bytes,
            _ => return Err(format!("what is {argument}?")),
        }
    }
    Ok(config)
}

/// The next frame, or `None` at the end of the input.
fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut frame = vec![0; u32::from_le_bytes(length) as usize];
    input.read_exact(&mut frame)?;
    Ok(Some(frame))
}

fn write_frame(output: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    let length = u32::try_from(frame.len()).map_err(io::Error::other)?;
    output.write_all(&length.to_le_bytes())?;
    output.write_all(frame)?;
    output.flush()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let config = config_from(&arguments)?;
    let mut session = open(&config);
    let mut input = BufReader::new(io::stdin().lock());
    let mut output = io::stdout().lock();
    while let Some(frame) = read_frame(&mut input)? {
        if frame.is_empty() {
            session = open(&config);
            write_frame(&mut output, &[])?;
        } else {
            let reply = session.command(frame).ok_or("the store never answered")?;
            write_frame(&mut output, &reply)?;
        }
    }
    Ok(())
}
