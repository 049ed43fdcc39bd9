import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Symbolic links that another user of a shared folder may lay where a device removes its own files: a removal went
/// through them, to the files of whatever folder they led to.
struct PlantedLinkTests {
  private let victim: TemporaryFolder

  init() throws {
    victim = try TemporaryFolder()
    for name in ["letter.txt", "photo.jpg"] { try Data("mine".utf8).write(to: victim.url.appending(path: name)) }
  }

  private func plant(at place: URL) throws {
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    #expect(symlink(victim.url.path, place.path) == 0)
  }

  private func expectOnlyTheLinkWent(_ place: URL) throws {
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: victim.url.path).sorted() == ["letter.txt", "photo.jpg"])
    var status = stat()
    #expect(lstat(place.path, &status) != 0, "the link is gone")
  }

  @Test func `a link in the place of an own unfinished snapshot goes, and what it leads to stays`() async throws {
    let laptop = try TestReplica()
    try laptop.save(laptop.names.insert("Tag", fixtureID(1), ["name": .string("one")]))
    _ = try await laptop.engine().sync()
    let hash = String(repeating: "ab", count: 16)
    let place = try laptop.exchange.snapshots(of: laptop.id).appending(path: "\(hash)-\(hash)")
    try plant(at: place)
    _ = try await laptop.engine().writeSnapshot()
    try expectOnlyTheLinkWent(place)
    #expect(try laptop.exchange.intactSnapshots().count == 1)
  }

  @Test func `a link in the place of a folder whose key was replaced goes, and what it leads to stays`() throws {
    let (root, key) = (try TemporaryFolder(), FamilyKey())
    let folder = ExchangeFolder(root: root.url, storeID: TestReplica.family, key: key.rotated())
    try folder.create()
    let place = folder.url.appending(path: key.id)
    try plant(at: place)
    try folder.removeFormerFolders()
    try expectOnlyTheLinkWent(place)
  }

  @Test func `a link to nothing in the place of a folder is removed`() throws {
    let root = try TemporaryFolder()
    let place = root.url.appending(path: "snapshot")
    #expect(symlink("/nowhere/at/all", place.path) == 0)
    try DurableFile.removeFolder(place)
    try expectOnlyTheLinkWent(place)
  }

  @Test func `a folder goes with its files and links, and stays where another folder is in it`() throws {
    let root = try TemporaryFolder()
    let place = root.url.appending(path: "snapshot")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    try Data([1]).write(to: place.appending(path: "part"))
    #expect(symlink(victim.url.appending(path: "letter.txt").path, place.appending(path: "link").path) == 0)
    try DurableFile.removeFolder(place)
    try expectOnlyTheLinkWent(place)
    try FileManager.default.createDirectory(at: place.appending(path: "inner"), withIntermediateDirectories: true)
    try DurableFile.removeFolder(place)
    #expect(try DurableFile.item(at: place) == .directory)
    try DurableFile.removeFolder(root.url.appending(path: "not there"))
  }
}
