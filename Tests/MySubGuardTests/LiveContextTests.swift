import Foundation
import Tandem
import Testing

@testable import MySubGuard

/// A context that stays open while the main program, a process of its own, writes to the same store.
@Suite struct LiveContextTests {
  @Test func `a live context sees what another process inserts, edits and deletes`() throws {
    try withDevice { device in
      _ = try device.run("add", "Fibre", "--amount", "39.99", "--frequency", "mensuel", "--next", "2026-01-31")
      let container = try Self.container(on: device)
      let context = ModelContext(container)
      let fibre = try #require(try context.fetch(FetchDescriptor<Subscription>()).first)
      #expect(fibre.amount == Decimal(string: "39.99"))

      _ = try device.run("edit", "Fibre", "--amount", "41.50")
      _ = try device.run("add", "Radio", "--amount", "5", "--frequency", "mensuel", "--next", "2026-02-01")
      #expect(try context.fetchCount(FetchDescriptor<Subscription>()) == 2)
      #expect(fibre.amount == Decimal(string: "41.50"))

      // What is not saved here yet survives the other's commit, and only that field is written.
      fibre.name = "Fibre Maison"
      _ = try device.run("edit", "Fibre", "--amount", "43")
      try context.save()
      #expect(fibre.name == "Fibre Maison")
      #expect(fibre.amount == 43)

      _ = try device.run("delete", "Fibre Maison")
      #expect(try context.fetchCount(FetchDescriptor<Subscription>()) == 1)
      #expect(fibre.isDeleted)
    }
  }

  @Test func `the container's changes tell of a commit of another process, and by which`() async throws {
    let device = TestDevice(url: try Self.makeFolder())
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: device.url) } }
    _ = try device.run("add", "Fibre", "--amount", "39.99", "--frequency", "mensuel", "--next", "2026-01-31")
    let container = try Self.container(on: device)
    var changes = container.changes.makeAsyncIterator()
    _ = try device.run("edit", "Fibre", "--amount", "41.50")
    let change = try #require(await changes.next())
    #expect(change.origin == .otherProcess)
    #expect(change.processName == "mysubguard")
    #expect(change.updated.map(\.entityName) == ["Subscription"])
    #expect(change.inserted.isEmpty && change.deleted.isEmpty)
  }

  private static func container(on device: TestDevice) throws -> ModelContainer {
    let configuration = ModelConfiguration(
      SubscriptionBook.storeName, groupContainer: .identifier(SubscriptionBook.groupIdentifier),
      containerRoot: device.url)
    return try ModelContainer(for: Subscription.self, configurations: configuration)
  }

  private static func makeFolder() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "mysubguard-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }
}
