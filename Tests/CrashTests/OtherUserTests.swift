import Foundation
import HelperProcess
import RecordStore
import TestSupport
import Testing

/// What another user of the machine may do with a store. Needs a user that may become another one, and `setpriv`.
struct OtherUserTests {
  private static let setpriv = "/usr/bin/setpriv"

  private static var canBecomeAnother: Bool {
    let isPossible = getuid() == 0 && FileManager.default.isExecutableFile(atPath: setpriv)
    if !isPossible { print("not run: another user's process needs root and setpriv") }
    return isPossible
  }

  /// A helper that runs a command as a user whose own group has the same number, in further groups as given.
  private func helper(_ command: [String], user: Int = 65_534, groups: String = "--clear-groups") throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.setpriv)
    process.arguments =
      ["--reuid=\(user)", "--regid=\(user)", groups, try HelperProcess.executable().path] + command
    return process
  }

  /// Opens the store as another user; what it says, and its trouble.
  private func open(_ store: URL, groups: String = "--clear-groups") throws -> (output: String, trouble: String) {
    let process = try helper(["open-store", store.path], groups: groups)
    let (output, trouble) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = trouble
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    let complained = try trouble.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: said, as: UTF8.self), String(decoding: complained, as: UTF8.self))
  }

  /// Runs a command as a member of the group until it has said a number of lines and its input ends. True if it ends
  /// well.
  private func run(_ command: [String], user: Int, untilLines lines: Int) throws -> Bool {
    let process = try helper(command, user: user, groups: "--groups=\(Self.sharedGroup)")
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var said = Data()
    while said.count(where: { $0 == 10 }) < lines {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      said += more
    }
    try input.fileHandleForWriting.close()
    _ = try output.fileHandleForReading.readToEnd()
    process.waitUntilExit()
    return process.terminationStatus == 0 && said.count(where: { $0 == 10 }) >= lines
  }

  private static let sharedGroup: gid_t = 23_456

  private func withStore(isShared: Bool, _ body: (RecordStore) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let outcome = Result {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
      let configuration = StoreConfiguration(
        url: folder.appendingPathComponent("test.store"), isSharedWithUserGroup: isShared)
      try body(RecordStore.open(configuration, schema: .fixture))
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  @Test(.enabled(if: canBecomeAnother))
  func `another user gets nothing of a store, and a sentence with the remedy`() throws {
    try withStore(isShared: false) { store throws in
      for groups in ["--clear-groups", "--groups=\(getgid())"] {
        let (output, trouble) = try open(store.url, groups: groups)
        #expect(output.isEmpty)
        #expect(trouble.contains("permissions"), "\(trouble)")
      }
    }
  }

  @Test(.enabled(if: canBecomeAnother))
  func `members of the group share a store, whichever of them makes its files`() throws {
    try withStore(isShared: true) { opened throws in
      // Closed is not waited for; the files are there.
      let store = opened.url
      let (first, second) = (12_345, 65_534)
      let all = {
        let names = try FileManager.default.subpathsOfDirectory(atPath: store.path)
        return [store.path] + names.map { store.appendingPathComponent($0).path }
      }
      for path in try all() { #expect(chown(path, uid_t(first), Self.sharedGroup) == 0) }
      // Declares more, so the second user's process migrates.
      #expect(try run(["create-bank", store.path], user: second, untilLines: 1))
      for name in ["lock.mdb", "notify", "creation.lock", "writer.lock", "opening"] {
        for (maker, other) in [(first, second), (second, first)] {
          let file = store.appendingPathComponent(name)
          if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
          #expect(try run(["write-bank", store.path, "1"], user: maker, untilLines: 6), "\(name) of \(maker)")
          #expect(try run(["write-bank", store.path, "1"], user: other, untilLines: 6), "\(name) of \(maker)")
        }
      }
      for path in try all() {
        var status = stat()
        #expect(stat(path, &status) == 0)
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        #expect(status.st_gid == Self.sharedGroup, "\(path)")
        #expect(status.st_mode & 0o777 == (isFolder ? 0o770 : 0o660), "\(path)")
      }
    }
  }
}
