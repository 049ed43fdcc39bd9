import Foundation
import Synchronization
import Testing

@testable import RecordSync

/// Rclone's troubles, told by a script in its place.
struct RcloneTests {
  private let root: TemporaryFolder

  init() throws { root = try TemporaryFolder() }

  private func transport(
    _ script: String, remote: String = "box:shelf", patience: Double = 60
  ) throws -> RcloneTransport {
    let program = root.url.appending(path: "rclone")
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    var options = RcloneTransport.Options()
    options.program = program
    options.patienceSeconds = patience
    return try RcloneTransport(remote, options: options)
  }

  private func complaint(_ script: String, remote: String = "box:shelf", patience: Double = 60) async throws -> String {
    let transport = try transport(script, remote: remote, patience: patience)
    let error = await #expect(throws: SyncError.self) { try await transport.list() }
    #expect(error?.code == .transportFailed)
    return error?.message ?? ""
  }

  @Test func `a list is read, and a place that is not there is none`() async throws {
    let listed = try await transport(#"echo '[{"Path":"a/b","Name":"b","Size":3,"ModTime":"","IsDir":false}]'"#).list()
    #expect(listed == [TransportFile(path: "a/b", byteCount: 3)])
    #expect(try await transport("exit 3").list() == nil)
    let garbage = try await complaint("echo nonsense")
    #expect(garbage.contains("update rclone"))
  }

  @Test(arguments: [
    ("didn't find section in config file", "rclone config"), ("unknown flag: --no-mimetype", "update rclone"),
    ("unable to decrypt configuration and not allowed to ask for password", "RCLONE_CONFIG_PASS"),
    ("HTTP error 507: Insufficient Storage", "free some space"), ("write: no space left on device", "free some space"),
    ("HTTP error 403: 403 Forbidden", "rights"), ("dial tcp 127.0.0.1:40157: connection refused", "check the network"),
    ("couldn't fetch token: invalid_grant", "config reconnect"), ("something else", "rclone lsd"),
  ])
  func `a refusal is one sentence with its remedy`(_ words: String, remedy: String) async throws {
    for code in [1, 2, 5, 7] {
      let plain = try await complaint(#"echo "2030/01/02 03:04:05 Failed to lsjson: \#(words)" >&2; exit \#(code)"#)
      #expect(plain.contains(remedy) && plain.contains(words) && !plain.contains("2030"), "\(plain)")
      let said = words.replacing("'", with: "’")
      let json = try await complaint(#"echo '{"level":"error","msg":"\#(said)"}' >&2; exit \#(code)"#)
      #expect(!json.contains("\n") && json.hasPrefix("cannot list box:shelf with rclone"), "\(json)")
    }
  }

  @Test func `secrets of a remote, a user and a signature are in no sentence`() async throws {
    let remote = ":webdav,url='https://u:pw@host/dav',pass=hunter22:shelf"
    let sentence = try await complaint(
      #"echo "Failed: Get https://me:secret1@host/x?Signature=secret2: hunter22 \#(remote)" >&2; exit 2"#,
      remote: remote)
    for secret in ["secret1", "secret2", "hunter22", "u:pw"] { #expect(!sentence.contains(secret), "\(sentence)") }
    #expect(try RcloneTransport(remote).name == ":webdav,…:shelf")
  }

  @Test(arguments: ["/tmp/shelf", "shelf", "-v:x", "a/b:c", ""])
  func `what is no remote is refused`(_ text: String) {
    let error = #expect(throws: SyncError.self) { try RcloneTransport(text) }
    #expect(error?.code == .unknownPlace)
  }

  @Test func `a missing program is told with how to get it`() async throws {
    var options = RcloneTransport.Options()
    options.environment = ["PATH": root.url.path]
    let missing = try RcloneTransport("box:shelf", options: options)
    let error = await #expect(throws: SyncError.self) { try await missing.list() }
    #expect(error?.message.contains("apt-get install rclone") == true)
    options.program = root.url.appending(path: "nothing")
    let broken = try RcloneTransport("box:shelf", options: options)
    let other = await #expect(throws: SyncError.self) { try await broken.list() }
    #expect(other?.message.contains("cannot start") == true)
  }

  @Test func `a program that waits for something, or is killed, is told`() async throws {
    let stalled = try await complaint("sleep 1000 & wait", patience: 0.5)
    #expect(stalled.contains("did not come further"), "\(stalled)")
    let killed = try await complaint("kill -9 $$")
    #expect(killed.contains("signal 9"), "\(killed)")
  }

  @Test func `a task that is cancelled ends the program and all that it started`() async throws {
    let place = root.url.path
    let transport = try transport("sleep 1000 & echo $! > \(place)/child; touch \(place)/begun; wait")
    let task = Task { try await transport.list() }
    while !FileManager.default.fileExists(atPath: place + "/begun") { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let number = try String(contentsOfFile: place + "/child", encoding: .utf8)
    let child = try #require(pid_t(number.trimmingCharacters(in: .whitespacesAndNewlines)))
    // A killed process stays for a moment, until somebody has asked for its end.
    while kill(child, 0) == 0, try !isZombie(child) { await Task.yield() }
  }

  private func isZombie(_ number: pid_t) throws -> Bool {
    guard let status = FileManager.default.contents(atPath: "/proc/\(number)/stat") else { return true }
    return String(decoding: status, as: UTF8.self).contains(") Z ")
  }

  @Test func `files are named in a list, and bytes that moved are told`() async throws {
    let place = root.url.path
    let stats = #"{"level":"notice","msg":"x","stats":{"bytes":5,"totalBytes":9}}"#
    let script = """
      printf '%s\\n' "$@" > \(place)/arguments
      while [ $# -gt 0 ]; do [ "$1" = --files-from-raw ] && cp "$2" \(place)/list; shift; done
      echo '\(stats)' >&2
      """
    _ = try transport(script)
    let moved = Mutex<[Int]>([])
    var options = RcloneTransport.Options()
    options.program = root.url.appending(path: "rclone")
    options.progress = { bytes, total in moved.withLock { $0 += [bytes, total] } }
    let transport = try RcloneTransport("box:shelf", options: options)
    try await transport.put(["a b", "#c"], from: URL(filePath: "/somewhere"))
    #expect(try String(contentsOfFile: place + "/list", encoding: .utf8) == "a b\n#c\n")
    let arguments = try String(contentsOfFile: place + "/arguments", encoding: .utf8).split(separator: "\n")
    #expect(arguments.first == "copy" && arguments.suffix(2) == ["/somewhere", "box:shelf"])
    #expect(moved.withLock { $0 } == [5, 9])
  }

  @Test func `settings of the environment that change what a run does are left out`() {
    let environment = ["RCLONE_DRY_RUN": "true", "RCLONE_FILTER_FROM": "x", "RCLONE_CONFIG": "c", "HOME": "h"]
    #expect(RcloneProgram.settings(in: environment) == ["RCLONE_CONFIG": "c", "HOME": "h"])
  }
}
