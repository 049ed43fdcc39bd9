import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Family files, invitations and a signed folder of format 1, as the first version wrote them. They must read for ever.
struct FamilyGoldenTests {
  private static let golden = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/golden/family-1").standardizedFileURL

  private func text(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Self.golden.appending(path: name)))
  }

  @Test(arguments: ["founder", "writer", "reader"]) func `a family file of format 1 reads`(name: String) throws {
    let file = try FamilyFile(text: text("\(name).family"), subject: name)
    #expect(file.family.description == "eb9915c33b0908a3d8258a3587fac83d")
    #expect(file.isFounder == (name == "founder"))
    #expect(file.role == (name == "reader" ? .reader : .writer))
    #expect(file.members.map(\.name) == (name == "founder" ? ["Eve"] : []))
    #expect(file.inviter == (name == "founder" ? nil : "Ann Example"))
    #expect(file.key.formerIDs.count == (name == "founder" ? 1 : 0))
    #expect(file.meeting?.description.hasSuffix("/folder") == true)
    #expect(try file.text == text("\(name).family"))
  }

  @Test(arguments: ["writer", "reader", "protected"]) func `an invitation of format 1 reads`(name: String) throws {
    let invitation = try FamilyInvitation(
      text("\(name).invitation"), passphrase: name == "protected" ? "golden" : nil)
    #expect(invitation.family.description == "eb9915c33b0908a3d8258a3587fac83d")
    #expect(invitation.role == (name == "writer" ? .writer : .reader))
    #expect(invitation.place == "books/Books" && invitation.inviter == "Ann Example")
  }

  @Test func `a reader makes a store of a signed folder of format 1`() async throws {
    let (root, device) = (try TemporaryFolder(), try DeviceSyncTests.Device(hasStore: false))
    let folder = root.url.appending(path: "folder")
    try FileManager.default.copyItem(at: Self.golden.appending(path: "folder"), to: folder)
    let place = DeviceDirectory.Place(group: "books", name: "Books")
    try SharedStore(at: device.directory.store(at: place)).join(FamilyInvitation(text("reader.invitation")))
    let report = try await DeviceSync().synchronize(device.directory, folder: DeviceDirectory(folder))
    #expect(report.isComplete, "\(report)")
    let store = try RecordStore.open(
      StoreConfiguration(url: device.directory.store(at: place), createsIfMissing: false))
    let dump = try CanonicalDump.lines(of: store)
    #expect(dump.count == 2)
    for title in ["Dune", "Emma"] { #expect(dump.contains { $0.contains(title) }) }
  }
}
