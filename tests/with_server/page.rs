//! The page of a real run, opened in a real browser: it shows its tables, asks for nothing, complains of nothing.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Database, run, skip};

/// What a browser made of a page.
struct Opened {
    /// The document after loading.
    dom: String,
    /// Lines that the page or the browser on its behalf wrote to the console.
    console: Vec<String>,
    /// Every path asked of the page's server.
    asked: Vec<String>,
}

/// Serves `page` to a headless Chromium that can reach nothing else; None, said, where there is no Chromium.
fn open(page: String) -> Option<Opened> {
    let version = Command::new("chromium").arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        skip("no chromium: pages are not opened in a browser");
        return None;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    // ends with the test's process
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (page, log) = (page.clone(), Arc::clone(&log));
            std::thread::spawn(move || serve(stream, &page, &log));
        }
    });
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("timeout")
        .args(["60", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--disable-background-networking", "--disable-sync", "--disable-component-update", "--no-first-run"])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("http://{address}/report"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(dom.contains("</html>"), "chromium shows nothing: {said}");
    let console = said.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    let asked = asked.lock().unwrap().clone();
    Some(Opened { dom, console, asked })
}

fn serve(mut stream: TcpStream, page: &str, log: &Mutex<Vec<String>>) {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut request = Vec::new();
    let mut part = [0; 4096];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut part) {
            // a connection opened ahead of need
            Ok(0) | Err(_) => return,
            Ok(size) => request.extend_from_slice(&part[..size]),
        }
    }
    let path = String::from_utf8_lossy(&request).split(' ').nth(1).unwrap_or_default().to_owned();
    log.lock().unwrap().push(path);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n";
    let _ = write!(stream, "{head}Content-Length: {}\r\n\r\n{page}", page.len());
}

fn measured(db: &Database, folder: &Path, command: &str, args: &[&str]) -> String {
    let page = folder.join(format!("{command}.html"));
    let record = folder.join(format!("{command}.jsonl"));
    let mut sps = db.sps(&[&[command, "--block", "20", "--rounds", "6", "-q", "--pin", "free"], args].concat());
    run(sps.arg("--html").arg(&page).arg("--record").arg(&record)).code(0);
    std::fs::read_to_string(page).unwrap()
}

#[track_caller]
fn holds_up(opened: &Opened, sections: &[&str], tables: usize) {
    assert_eq!(opened.asked, ["/report"], "the page asked for more");
    assert_eq!(opened.console, [""; 0], "the page complained");
    for section in sections {
        assert!(opened.dom.contains(&format!(">{section}</h2>")), "no section {section}");
    }
    assert!(opened.dom.matches("<table").count() >= tables, "too few tables");
    assert!(opened.dom.matches("</svg>").count() >= 3, "too few charts");
}

#[test]
fn a_page_opens_in_a_browser_that_reaches_nothing() {
    let db = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    let page = measured(&db, folder.path(), "compare", &["simple", "prepared", "plpgsql"]);
    let Some(opened) = open(page) else { return };
    holds_up(&opened, &["Ratios", "Rates", "Latency", "Course of the run", "Server and data", "Command"], 7);
    assert!(opened.dom.contains("<th scope=\"row\">prepared@free</th>"));
}

#[test]
fn a_ladder_and_a_comparison_open_side_by_side() {
    let db = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    measured(&db, folder.path(), "compare", &["simple", "prepared"]);
    measured(&db, folder.path(), "ladder", &[]);
    let page = folder.path().join("both.html");
    let records = ["compare.jsonl", "ladder.jsonl"].map(|name| folder.path().join(name));
    run(db.sps(&["report", "--format", "html", "-o"]).arg(&page).args(&records)).code(0);
    let Some(opened) = open(std::fs::read_to_string(page).unwrap()) else { return };
    holds_up(&opened, &["The ladder", "Ratios", "Rates", "Machine and tool"], 9);
    assert!(opened.dom.contains("2 records of sps, side by side"));
}
