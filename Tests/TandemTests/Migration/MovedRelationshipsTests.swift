import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

/// What a model's relationships and properties show after its next version declares them otherwise, without any plan.
enum ShelvesV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Shelf.self, Book.self] }

  @Model final class Shelf {
    var name: String
    var books: [Book] = []
    init(name: String) { self.name = name }
  }
  @Model final class Book {
    var title: String
    var subtitle: String
    init(title: String, subtitle: String) { (self.title, self.subtitle) = (title, subtitle) }
  }
}

enum ShelvesV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Shelf.self, Book.self] }

  @Model final class Shelf {
    var name: String
    @Relationship(inverse: \Book.shelf) var books: [Book] = []
    init(name: String) { self.name = name }
  }
  @Model final class Book {
    @Attribute(originalName: "subtitle") var motto: String
    @Attribute(originalName: "title") var subtitle: String
    var shelf: Shelf?
    init(motto: String, subtitle: String) { (self.motto, self.subtitle) = (motto, subtitle) }
  }
}

enum ShelvesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ShelvesV1.self, ShelvesV2.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: ShelvesV1.self, toVersion: ShelvesV2.self),
      .lightweight(fromVersion: ShelvesV2.self, toVersion: ShelvesV1.self),
    ]
  }
}

struct MovedRelationshipsTests {
  private func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let shelf = ShelvesV1.Shelf(name: "left")
    context.insert(shelf)
    shelf.books = ["a", "b"].map { ShelvesV1.Book(title: $0, subtitle: "\($0)\($0)") }
    context.insert(ShelvesV1.Book(title: "c", subtitle: "cc"))
    try context.save()
  }

  private func expectSecond(_ context: ModelContext) throws {
    let shelf = try #require(try context.fetch(FetchDescriptor<ShelvesV2.Shelf>()).first)
    #expect(shelf.books.map(\.subtitle).sorted() == ["a", "b"])
    let books = try context.fetch(FetchDescriptor<ShelvesV2.Book>(sortBy: [SortDescriptor(\.motto)]))
    #expect(books.map(\.motto) == ["aa", "bb", "cc"] && books.map(\.subtitle) == ["a", "b", "c"])
    #expect(books.map { $0.shelf === shelf } == [true, true, false])
  }

  @Test func `an inverse is added, names move on, and a stage leads back`() async throws {
    try await withContainer(for: ShelvesV1.models) { container in
      try fill(container)
      let configuration = ModelConfiguration(url: container.store.url)
      let next = try ModelContainer(
        for: Schema(versionedSchema: ShelvesV2.self), migrationPlan: ShelvesPlan.self, configurations: configuration)
      let context = ModelContext(next)
      try expectSecond(context)
      let books = try context.fetch(FetchDescriptor<ShelvesV2.Book>(sortBy: [SortDescriptor(\.motto)]))
      books[0].shelf = nil
      books[2].shelf = books[1].shelf
      try context.save()

      let back = try ModelContainer(
        for: Schema(versionedSchema: ShelvesV1.self), migrationPlan: ShelvesPlan.self, configurations: configuration)
      let shelf = try #require(try ModelContext(back).fetch(FetchDescriptor<ShelvesV1.Shelf>()).first)
      #expect(shelf.books.map(\.title).sorted() == ["b", "c"])
      #expect(shelf.books.map(\.subtitle).sorted() == ["bb", "cc"])
    }
  }

  @Test func `an inverse is added without a plan`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let configuration = ModelConfiguration(url: folder.appending(path: "shelves.store"))
    try fill(try ModelContainer(for: Schema(ShelvesV1.models), configurations: configuration))
    let next = try ModelContainer(for: Schema(ShelvesV2.models), configurations: configuration)
    try expectSecond(ModelContext(next))
    #expect(try next.store.integrityViolations() == [])
  }

  @Test func `two classes of one name are refused by name`() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema([ShelvesV1.Book.self, ShelvesV2.Book.self]),
        configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    }
    #expect(error?.code == .unsupportedSchema)
    #expect("\(try #require(error))".contains("Book"))
  }
}
