import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

private enum YardV1 {
  @Model final class Tree {
    var name: String
    init(name: String) { self.name = name }
  }
  @Model final class Bench {
    var seats: Int
    init(seats: Int) { self.seats = seats }
  }
}

private enum YardV2 {
  @Model final class Tree {
    @Attribute(.unique) var name: String
    var height: Double = 1
    var rings: [Int] = []
    var kind: String?
    init(name: String) { self.name = name }
  }
  @Model final class Bench {
    var seats: Int
    init(seats: Int) { self.seats = seats }
  }
}

private enum YardV3 {
  @Model final class Tree {
    @Attribute(.unique) var name: String
    var height: Double = 1
    var rings: [Int] = []
    var kind: String = "wild"
    init(name: String) { self.name = name }
  }
}

/// One store under many containers at once, which differ in their configurations and in their schemas.
struct ManyContainersTests {
  private func withStore(_ body: (URL) async throws -> Void) async throws {
    let folder = try makeTemporaryFolder()
    let url = folder.appending(path: "yard.store")
    try await body(url)
    let violations = try RecordStore.open(StoreConfiguration(url: url)).integrityViolations()
    #expect(violations.isEmpty, "\(violations)")
    try FileManager.default.removeItem(at: folder)
  }

  private static func open(_ types: [any PersistentModel.Type], _ url: URL, allowsSave: Bool = true) throws
    -> ModelContainer
  {
    var configuration = ModelConfiguration(url: url, allowsSave: allowsSave)
    configuration.durability = .relaxed
    return try ModelContainer(for: Schema(types), configurations: [configuration])
  }

  @Test func `hundreds of containers that come and go at once lose nothing`() async throws {
    try await withStore { url in
      _ = try Self.open([YardV1.Tree.self, YardV1.Bench.self], url)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<300 {
          group.addTask {
            switch number % 3 {
            case 0:
              let context = ModelContext(try Self.open([YardV1.Tree.self, YardV1.Bench.self], url))
              context.insert(YardV1.Tree(name: "\(number)"))
              try context.save()
            case 1:
              // A schema that is a part of the store's.
              let context = ModelContext(try Self.open([YardV1.Bench.self], url))
              context.insert(YardV1.Bench(seats: number))
              try context.save()
            default:
              let context = ModelContext(
                try Self.open([YardV1.Tree.self, YardV1.Bench.self], url, allowsSave: false))
              _ = try context.fetchCount(FetchDescriptor<YardV1.Tree>())
              context.insert(YardV1.Bench(seats: 1))
              #expect(throws: SwiftDataError.self) { try context.save() }
            }
          }
        }
        try await group.waitForAll()
      }
      let context = ModelContext(try Self.open([YardV1.Tree.self, YardV1.Bench.self], url))
      #expect(try context.fetchCount(FetchDescriptor<YardV1.Tree>()) == 100)
      #expect(try context.fetchCount(FetchDescriptor<YardV1.Bench>()) == 100)
    }
  }

  @Test func `a container of an older schema goes on beside one that has migrated the store`() async throws {
    try await withStore { url in
      let old = try Self.open([YardV1.Tree.self, YardV1.Bench.self], url)
      let first = ModelContext(old)
      first.insert(YardV1.Tree(name: "oak"))
      try first.save()
      let tree = try #require(try first.fetch(FetchDescriptor<YardV1.Tree>()).first)
      let new = try Self.open([YardV2.Tree.self, YardV2.Bench.self], url)
      let second = ModelContext(new)
      let migrated = try #require(try second.fetch(FetchDescriptor<YardV2.Tree>()).first)
      migrated.height = 12
      try second.save()
      // What the old one reads and saves.
      tree.name = "old oak"
      first.insert(YardV1.Tree(name: "elm"))
      try first.save()
      #expect(try first.fetchCount(FetchDescriptor<YardV1.Tree>()) == 2)
      let third = ModelContext(new)
      let found = try third.fetch(FetchDescriptor<YardV2.Tree>(sortBy: [SortDescriptor(\.name)]))
      #expect(found.map(\.name) == ["elm", "old oak"] && found.map(\.height) == [1, 12])
      // A container of the older schema opens again, and keeps what the newer one has added.
      let again = ModelContext(try Self.open([YardV1.Tree.self, YardV1.Bench.self], url))
      #expect(try again.fetchCount(FetchDescriptor<YardV1.Tree>()) == 2)
      let fourth = ModelContext(try Self.open([YardV2.Tree.self, YardV2.Bench.self], url))
      #expect(
        try fourth.fetch(FetchDescriptor<YardV2.Tree>(sortBy: [SortDescriptor(\.name)])).map(\.height) == [1, 12])
    }
  }
  @Test func `a migration knows the values that a unique attribute had before`() async throws {
    try await withStore { url in
      let context = ModelContext(try Self.open([YardV2.Tree.self], url))
      let tree = YardV2.Tree(name: "oak")
      context.insert(tree)
      try context.save()
      tree.name = "old oak"
      try context.save()
      let next = ModelContext(try Self.open([YardV3.Tree.self], url))
      let found = try next.fetch(FetchDescriptor<YardV3.Tree>())
      #expect(found.map(\.name) == ["old oak"] && found.map(\.kind) == ["wild"])
    }
  }
}
