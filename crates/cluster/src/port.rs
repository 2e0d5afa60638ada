//! Which port a server listens at, if any will do.
//!
//! The system gives the ports of its ephemeral range to every connection that goes out, and to every listener that asks
//! for some port. While the server is away because it was killed, its port could become that of something else. Even a
//! worker that tries to reach the server may get it, and is then connected to itself. So it is a port below that range.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::time::{SystemTime, UNIX_EPOCH};

/// Ports below may belong to services. Most tests and examples use rounder numbers than those in between.
const FIRST: u16 = 10_000;

/// How many ports to try.
const MOST_TRIED: u32 = 1000;

/// A free port of this address that nothing else will get by chance, or any free one if there is none.
///
/// # Errors
/// If there is no free port, or no such address.
pub fn free_port(ip: IpAddr) -> io::Result<SocketAddr> {
    let n_ports = first_ephemeral().saturating_sub(FIRST);
    // Two leaders that start at once should not try the same ones.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut state = now.as_nanos() as u64 ^ (u64::from(std::process::id()) << 32);
    for _ in 0..MOST_TRIED.min(u32::from(n_ports)) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let address = SocketAddr::new(ip, FIRST + ((state >> 33) % u64::from(n_ports)) as u16);
        if TcpListener::bind(address).is_ok() {
            return Ok(address);
        }
    }
    TcpListener::bind(SocketAddr::new(ip, 0))?.local_addr()
}

/// The first port that the system may give to any connection.
fn first_ephemeral() -> u16 {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    // Linux' default, which is below that of other systems.
    range.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(32_768)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_free_and_not_ephemeral() {
        let address = free_port([127, 0, 0, 1].into()).expect("a port");
        assert!((FIRST..first_ephemeral()).contains(&address.port()), "{address}");
        assert!(TcpListener::bind(address).is_ok());
        assert!(free_port([203, 0, 113, 1].into()).is_err(), "an address of another machine");
    }
}
