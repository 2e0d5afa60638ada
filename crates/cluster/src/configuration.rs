//! The configuration of nats-server, and the files beside it in the store.

use crate::ServerOptions;
use crate::server::LARGEST_MESSAGE;
use std::fmt::Write;
use std::io;
use std::path::Path;

pub(crate) const CONFIGURATION: &str = "nats.conf";
pub(crate) const PID: &str = "nats.pid";
pub(crate) const LOG: &str = "nats.log";

/// The configuration file. JSON strings are strings there, too.
pub(crate) fn configuration(options: &ServerOptions, version: &str) -> io::Result<String> {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let path =
        |path: &Path| -> io::Result<String> { Ok(quoted(&std::path::absolute(path)?.to_string_lossy())) };
    let ServerOptions { listen, store, token, tls, monitor } = options;
    let mut text = String::from("# Written by `atropos serve`; changes are lost.\n");
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string");
    line(format!("listen: {}", quoted(&listen.to_string())));
    line(format!("max_payload: {LARGEST_MESSAGE}"));
    line(format!("max_pending: {}", 4 * LARGEST_MESSAGE));
    line(format!("pid_file: {}", path(&store.join(PID))?));
    let sync = if can_sync(version) { ", sync_interval: always" } else { "" };
    line(format!("jetstream {{ store_dir: {}{sync} }}", path(&store.join("streams"))?));
    if let Some(token) = token {
        line(format!("authorization {{ token: {} }}", quoted(token)));
    }
    if let Some((certificate, key)) = tls {
        line(format!("tls {{ cert_file: {}, key_file: {} }}", path(certificate)?, path(key)?));
    }
    if let Some(monitor) = monitor {
        line(format!("http: {}", quoted(&monitor.to_string())));
    }
    Ok(text)
}

/// Whether this version can sync every message to the disk. Otherwise the last two minutes may be lost if the machine
/// stops; they are explored again then.
fn can_sync(version: &str) -> bool {
    let mut numbers = version.split('.').map_while(|number| number.parse::<u32>().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (2, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_says_what_is_asked_for() {
        let options = ServerOptions {
            listen: "0.0.0.0:4222".parse().expect("an address"),
            store: "/a b".into(),
            token: Some("se\"cret".to_string()),
            tls: Some(("/c.pem".into(), "/k.pem".into())),
            monitor: Some("127.0.0.1:8222".parse().expect("an address")),
        };
        let expected = r#"# Written by `atropos serve`; changes are lost.
listen: "0.0.0.0:4222"
max_payload: 67108864
max_pending: 268435456
pid_file: "/a b/nats.pid"
jetstream { store_dir: "/a b/streams", sync_interval: always }
authorization { token: "se\"cret" }
tls { cert_file: "/c.pem", key_file: "/k.pem" }
http: "127.0.0.1:8222"
"#;
        assert_eq!(configuration(&options, "2.10.3").expect("a configuration"), expected);
        assert!(!configuration(&options, "2.9.10").expect("a configuration").contains("sync"));
    }
}
