import SwiftData
import Testing

enum BooksV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self] }

  @Model class Book {
    var isbn: String
    var title: String
    var authorName: String
    init(isbn: String, title: String, authorName: String) {
      self.isbn = isbn
      self.title = title
      self.authorName = authorName
    }
  }
}

enum BooksV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model class Book {
    @Attribute(.unique) var isbn: String
    var title: String
    var authorName: String
    @Relationship(deleteRule: .nullify, inverse: \Author.books) var author: Author?
    init(isbn: String, title: String, authorName: String) {
      self.isbn = isbn
      self.title = title
      self.authorName = authorName
    }
  }

  @Model class Author {
    var name: String
    var books: [Book] = []
    init(name: String) { self.name = name }
  }
}

enum BooksV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model final class Book {
    @Attribute(.unique) var isbn: String
    @Attribute(originalName: "title") var name: String
    var rating: Int = 0
    var author: Author?
    init(isbn: String, name: String) {
      self.isbn = isbn
      self.name = name
    }
  }

  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(name: String) { self.name = name }
  }
}

/// As it stands in many an app: doubles are deleted before a value becomes unique, then texts become objects.
enum BooksPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [BooksV1.self, BooksV2.self, BooksV3.self] }
  static var stages: [MigrationStage] { [toV2, toV3] }

  static let toV2 = MigrationStage.custom(
    fromVersion: BooksV1.self, toVersion: BooksV2.self,
    willMigrate: { context in
      var seen: Set<String> = []
      for book in try context.fetch(FetchDescriptor<BooksV1.Book>()) where !seen.insert(book.isbn).inserted {
        context.delete(book)
      }
      try context.save()
    },
    didMigrate: { context in
      var authors: [String: BooksV2.Author] = [:]
      for book in try context.fetch(FetchDescriptor<BooksV2.Book>()) {
        let author = authors[book.authorName] ?? BooksV2.Author(name: book.authorName)
        authors[book.authorName] = author
        book.author = author
      }
      try context.save()
    })

  static let toV3 = MigrationStage.lightweight(fromVersion: BooksV2.self, toVersion: BooksV3.self)
}

struct BookMigrationTests {
  private func withStore(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "books-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      try body(folder.appending(path: "books.store"))
    } catch {
      try FileManager.default.removeItem(at: folder)
      throw error
    }
    try FileManager.default.removeItem(at: folder)
  }

  private func fill(_ url: URL) throws -> ModelContext {
    let context = ModelContext(
      try ModelContainer(for: BooksV1.Book.self, configurations: ModelConfiguration(url: url)))
    for (isbn, title) in [("1", "first"), ("1", "double"), ("2", "second"), ("3", "third")] {
      context.insert(BooksV1.Book(isbn: isbn, title: title, authorName: isbn == "3" ? "Ivan" : "Lesya"))
    }
    try context.save()
    return context
  }

  // The books of one save with one number were one by the rules of merging as soon as the number was unique, and the
  // delete of the double deleted the first as well.
  @Test func `a stage may delete what shares a value that becomes unique`() throws {
    try withStore { url throws in
      _ = try fill(url)
      let schema = Schema(versionedSchema: BooksV3.self)
      let container = try ModelContainer(
        for: schema, migrationPlan: BooksPlan.self, configurations: [ModelConfiguration(schema: schema, url: url)])
      let context = ModelContext(container)
      let books = try context.fetch(FetchDescriptor<BooksV3.Book>(sortBy: [SortDescriptor(\.isbn)]))
      #expect(books.map(\.name) == ["first", "second", "third"])
      #expect(books.map { $0.author?.name } == ["Lesya", "Lesya", "Ivan"])
      let authors = try context.fetch(FetchDescriptor<BooksV3.Author>(sortBy: [SortDescriptor(\.name)]))
      #expect(authors.map(\.books.count) == [1, 2])
    }
  }

  @Test func `what was deleted long before takes nothing along when a value becomes unique`() throws {
    try withStore { url throws in
      let context = try fill(url)
      try context.delete(model: BooksV1.Book.self, where: #Predicate { $0.title == "first" })
      try context.save()
      let container = try ModelContainer(
        for: BooksV2.Book.self, BooksV2.Author.self, configurations: ModelConfiguration(url: url))
      let found = try ModelContext(container).fetch(FetchDescriptor<BooksV2.Book>(sortBy: [SortDescriptor(\.isbn)]))
      #expect(found.map(\.title) == ["double", "second", "third"])
    }
  }
}
