//! Bytes and documents that are no commands: each gets an error that says what and where, and nothing changes.

use crate::crash::insert;
use crate::support::{Database, command};
use pandodb::bson::{DocBuilder, Limits, Value, validate};
use pandodb::engine::Config;

fn answer(database: &mut Database, request: Vec<u8>) -> (i32, String) {
    let reply = database.run(request);
    let doc = validate(&reply, Limits::COMMAND).expect("a reply is a document");
    let code = match doc.get("code") {
        Some(Value::Int32(code)) => code,
        _ => 0,
    };
    (code, doc.get("errmsg").and_then(|m| m.as_str()).unwrap_or("").to_string())
}

#[test]
fn malformed_bytes_are_refused_with_the_place() {
    let mut database = Database::memory(Config::default());
    let ping = {
        let mut doc = DocBuilder::new();
        doc.push("ping", 1).push("$db", "test");
        doc.finish()
    };
    let mut wrong_length = ping.clone();
    wrong_length[0] += 1;
    let mut wrong_type = ping.clone();
    wrong_type[4] = 0x55;
    let mut not_utf8 = ping.clone();
    let at = not_utf8.len() - 3;
    not_utf8[at] = 0xFF;
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("four bytes", vec![4, 0, 0, 0]),
        ("cut", ping[..ping.len() - 2].to_vec()),
        ("wrong length", wrong_length),
        ("unknown type", wrong_type),
        ("not UTF-8", not_utf8),
    ] {
        let (code, message) = answer(&mut database, bytes);
        assert_eq!(code, 22, "{what}: {message}");
        assert!(message.contains("at byte"), "{what}: {message}");
    }
    let (code, message) = answer(&mut database, vec![5, 0, 0, 0, 0]);
    assert_eq!(code, 59, "{message}");
}

#[test]
fn a_command_without_a_database_or_unknown_or_not_built_is_told_apart() {
    let mut database = Database::memory(Config::default());
    let mut no_database = DocBuilder::new();
    no_database.push("ping", 1);
    assert_eq!(answer(&mut database, no_database.finish()).0, 40414);
    assert_eq!(answer(&mut database, command("nonsense", "c", |_| {})).0, 59);
    let (code, message) = answer(&mut database, command("aggregate", "c", |_| {}));
    assert_eq!(code, 238);
    assert!(message.contains("aggregate"), "{message}");
}

#[test]
fn a_path_of_thousands_of_parts_is_refused_wherever_it_stands() {
    let path = vec!["a"; 5_000].join(".");
    let update = |q: &str, operator: &str| {
        command("update", "c", |doc| {
            doc.array("updates", |list| {
                list.document(|op| {
                    op.document("q", |d| {
                        d.push(q, 1);
                    })
                    .document("u", |u| {
                        u.document(operator, |d| {
                            d.push(if q == "_id" { path.as_str() } else { "b" }, 1);
                        });
                    })
                    .push("upsert", true);
                });
            });
        })
    };
    let mut database = Database::memory(Config::default());
    assert_eq!(answer(&mut database, insert(0, 1, 10)).0, 0);
    let write_error = |database: &mut Database, request: Vec<u8>| {
        let reply = database.run(request);
        let errors = validate(&reply, Limits::COMMAND).unwrap().get("writeErrors").and_then(|e| e.as_array());
        match errors.and_then(|e| e.get(0)).and_then(|e| e.as_document()).and_then(|e| e.get("code")) {
            Some(Value::Int32(code)) => code,
            other => panic!("{other:?}"),
        }
    };
    for operator in ["$set", "$unset", "$inc", "$push", "$pull", "$setOnInsert"] {
        assert_eq!(write_error(&mut database, update("_id", operator)), 15, "{operator}");
    }
    assert_eq!(write_error(&mut database, update(&path, "$set")), 5_729_100);
    for (part, code) in [("filter", 5_729_100), ("sort", 15), ("projection", 15)] {
        let request = command("find", "c", |doc| {
            doc.document(part, |d| {
                d.push(path.as_str(), 1);
            });
        });
        let (found, message) = answer(&mut database, request);
        assert!(found == code || found == 5_729_100, "{part}: {found} {message}");
    }
    let create = command("createIndexes", "c", |doc| {
        doc.array("indexes", |list| {
            list.document(|spec| {
                spec.document("key", |key| {
                    key.push(path.as_str(), 1);
                })
                .push("name", "deep");
            });
        });
    });
    assert_eq!(answer(&mut database, create).0, 67);
}

/// SplitMix64: the seed is in every message.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// Valid commands, to be damaged.
fn seeds() -> Vec<Vec<u8>> {
    let update = command("update", "c", |doc| {
        doc.array("updates", |list| {
            list.document(|op| {
                op.document("q", |q| {
                    q.push("a", 1).array("$or", |list| {
                        list.document(|d| {
                            d.document("b", |b| {
                                b.push("$gt", 1.5);
                            });
                        });
                    });
                })
                .document("u", |u| {
                    u.document("$set", |set| {
                        set.push("x.0.y", "z");
                    })
                    .document("$push", |push| {
                        push.document("tags", |tags| {
                            tags.array("$each", |each| {
                                each.push(1).push("two");
                            });
                        });
                    });
                })
                .push("multi", true)
                .push("upsert", true);
            });
        });
    });
    let find = command("find", "c", |doc| {
        doc.document("filter", |filter| {
            filter.document("tags", |tags| {
                tags.document("$elemMatch", |inner| {
                    inner.push("$gte", 0).push("$lt", Value::Decimal128([1; 16]));
                });
            });
        })
        .document("sort", |sort| {
            sort.push("a", 1).push("b.c", -1);
        })
        .document("projection", |projection| {
            projection.push("a.b", 1).push("_id", 0);
        })
        .push("skip", 1)
        .push("limit", 5i64);
    });
    let create_indexes = command("createIndexes", "c", |doc| {
        doc.array("indexes", |list| {
            list.document(|spec| {
                spec.document("key", |key| {
                    key.push("a", 1).push("tags", -1);
                })
                .push("name", "n")
                .push("unique", false);
            });
        });
    });
    let delete = command("delete", "c", |doc| {
        doc.array("deletes", |list| {
            list.document(|op| {
                op.document("q", |q| {
                    q.push("_id", 3);
                })
                .push("limit", 1);
            });
        });
    });
    vec![insert(0, 3, 5), update, find, create_indexes, delete, command("drop", "c", |_| {})]
}

#[test]
fn damaged_commands_never_panic_and_always_get_a_reply() {
    let rounds: usize =
        std::env::var("PANDODB_FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let seed = std::env::var("PANDODB_FUZZ_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    println!("PANDODB_FUZZ_SEED={seed}");
    let mut random = Random(seed);
    let seeds = seeds();
    let mut database = Database::memory(Config::default());
    let mut understood = 0;
    for _ in 0..rounds {
        let mut request = seeds[random.below(seeds.len())].clone();
        for _ in 0..random.below(4) {
            let at = 4 + random.below(request.len() - 4);
            request[at] = match random.below(3) {
                0 => random.below(256) as u8,
                1 => [0x01, 0x02, 0x03, 0x04, 0x0A, 0x10, 0x12, 0x13][random.below(8)],
                _ => request[at] ^ (1 << random.below(8)),
            };
        }
        let reply = database.run(request);
        let doc = validate(&reply, Limits::COMMAND).expect("a reply is a document");
        if matches!(doc.get("ok"), Some(Value::Double(1.0))) {
            understood += 1;
        }
        let is_damage = matches!(doc.get("code"), Some(Value::Int32(1 | 318)));
        assert!(!is_damage, "{doc:?}");
    }
    assert!(understood > rounds / 10, "only {understood} of {rounds} were understood");
    crate::stored::Stored::read(&database.session.host.store.data().borrow()).check();
}
