//! A real browser for the tests of the page: headless Chromium, driven over its debugging protocol.

use crate::run::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// How long the browser may take for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Browser {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: Option<String>,
    n_sent: u64,
    /// What the page has reported: requests, errors.
    pub events: Vec<Value>,
    _profile: Sandbox,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The installed browser. Without one, there is nothing to test, unless the environment demands it.
fn installed() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let chosen = std::env::var_os("ATROPOS_CHROMIUM").map(PathBuf::from);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = chosen.or_else(|| {
        let mut paths =
            std::env::split_paths(&folders).flat_map(|folder| names.map(|name| folder.join(name)));
        paths.find(|path| path.is_file())
    });
    let is_required = std::env::var_os("ATROPOS_REQUIRE_CHROMIUM").is_some();
    assert!(found.is_some() || !is_required, "Chromium is not installed: `make test-page` installs it");
    found
}

impl Browser {
    /// Opens `page` in a window of this size; `None` if no browser is installed.
    pub fn open(page: &Path, (width, height): (u32, u32)) -> Option<Browser> {
        let profile = Sandbox::new();
        let mut process = Command::new(installed()?)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-port=0",
                "--no-first-run",
            ])
            .arg("--disable-dev-shm-usage")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("--window-size={width},{height}"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let mut lines = BufReader::new(process.stderr.take().expect("piped")).lines().map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.strip_prefix("DevTools listening on ")?.to_string()));
        // The browser writes warnings as long as it runs.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(address.expect("an address")).expect("the browser answers");
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        }
        let (events, session) = (Vec::new(), None);
        let mut browser = Browser { process, socket, session, n_sent: 0, events, _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        let url = format!("file://{}", page.canonicalize().expect("the page exists").display());
        browser.call("Page.navigate", json!({ "url": url }));
        browser.wait_for(
            "document.readyState === 'complete' && document.querySelector('#toolbar button') !== null",
        );
        Some(browser)
    }

    /// Calls a method of the browser or of the page.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.n_sent += 1;
        let id = self.n_sent;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string())).expect("the browser listens");
        loop {
            let Message::Text(text) = self.socket.read().expect("the browser answers") else { continue };
            let mut answer: Value = serde_json::from_str(&text).expect("JSON");
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }

    fn wait_for(&mut self, condition: &str) {
        let start = Instant::now();
        while self.value(condition) != true {
            assert!(start.elapsed() < PATIENCE, "the page never has {condition}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key and releases it.
    pub fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "text": text }));
        }
    }

    /// A place inside of the first element that matches.
    fn place(&mut self, selector: &str) -> Value {
        self.value(&format!(
            "(() => {{ const box = document.querySelector({selector:?}).getBoundingClientRect();
                return [box.x + Math.min(box.width / 2, 30), box.y + box.height / 2]; }})()"
        ))
    }

    /// Moves the pointer over the first element that matches.
    pub fn hover(&mut self, selector: &str) {
        let place = self.place(selector);
        let params = json!({ "type": "mouseMoved", "x": place[0], "y": place[1] });
        self.call("Input.dispatchMouseEvent", params);
    }

    /// Clicks on the first element that matches.
    pub fn click(&mut self, selector: &str) {
        let place = self.place(selector);
        for kind in ["mousePressed", "mouseReleased"] {
            let params =
                json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// The text of the first element that matches.
    pub fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({selector:?})?.textContent ?? ''"));
        text.as_str().expect("a text").to_string()
    }

    pub fn count(&mut self, selector: &str) -> u64 {
        let count = self.value(&format!("document.querySelectorAll({selector:?}).length"));
        count.as_u64().expect("a number")
    }

    /// Requires that the page has loaded nothing but itself and has met no error.
    pub fn was_quiet(&mut self) {
        self.value("0");
        let loud = self.events.iter().filter(|event| match event["method"].as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => event["params"]["type"] != "Document",
            "Runtime.exceptionThrown" | "Log.entryAdded" | "Network.loadingFailed" => true,
            _ => false,
        });
        let loud: Vec<&Value> = loud.collect();
        assert!(loud.is_empty(), "{loud:#?}");
    }
}
