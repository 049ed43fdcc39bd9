import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// An encrypted folder and key files of format 1, as the first version wrote them. They must read for ever.
struct SealedGoldenTests {
  private static let golden = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/golden").standardizedFileURL
  private static let folder = golden.appending(path: "sealed-1")

  private func text(_ name: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
  }

  @Test func `a store that is made from an encrypted folder knows every fact`() async throws {
    let key = try FamilyKey(recoveryCode: try text("recovery-code.txt"))
    let root = try TemporaryFolder()
    let name = "tandem1-\(TestReplica.family)"
    try FileManager.default.copyItem(at: Self.folder.appending(path: name), to: root.url.appending(path: name))
    for snapshotsOnly in [false, true] {
      let exchange = ExchangeFolder(root: root.url, storeID: TestReplica.family, key: key)
      let author = try #require(try exchange.knownReplicas().first)
      if snapshotsOnly { try FileManager.default.removeItem(at: exchange.stream(of: author)) }
      let replica = try TestReplica()
      var options = SyncOptions()
      options.storeID = TestReplica.family
      options.key = key
      let report = try await SyncEngine(store: replica.store, folder: root.url, options: options).import()
      #expect(report.isComplete, "\(report)")
      #expect(report.snapshotsJoined == (snapshotsOnly ? 1 : 0))
      #expect(try replica.dump == text("dump.txt").split(separator: "\n").map(String.init))
      try FileManager.default.removeItem(at: exchange.folder(of: try replica.id))
    }
  }

  @Test(arguments: ["plain", "protected"]) func `a key file of format 1 reads`(name: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Default.key")
    try FileManager.default.copyItem(at: Self.golden.appending(path: "key-file-1/\(name).key"), to: url)
    #expect(chmod(url.path, 0o600) == 0)
    let file = try KeyFile(at: url, passphrase: name == "protected" ? "golden" : nil)
    #expect(file.key?.recoveryCode == (try text("recovery-code.txt").trimmingCharacters(in: .newlines)))
    #expect(file.key?.formerIDs.count == 1)
    #expect(file.devices.map(\.name) == ["Jasmine's laptop"])
    #expect(file.family == TestReplica.family)
  }
}
