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

  /// Opens the store as the user and group 65534, in further groups as given; what it says, and its trouble.
  private func open(_ store: URL, groups: String = "--clear-groups") throws -> (output: String, trouble: String) {
    let process = Process()
    let (output, trouble) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: Self.setpriv)
    process.arguments = [
      "--reuid=65534", "--regid=65534", groups, try HelperProcess.executable().path, "open-store", store.path,
    ]
    process.standardOutput = output
    process.standardError = trouble
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    let complained = try trouble.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: said, as: UTF8.self), String(decoding: complained, as: UTF8.self))
  }

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
}
