import Foundation
import HostileModels
import RecordStore
import Tandem
import TestSupport
import Testing

/// The schema of a store as `tandem schema` tells it: for people, as a picture, and as models that open the store.
struct GeneratedModelsTests {
  private struct Outcome {
    var status: Int32
    var output: String
  }

  /// Runs the built `tandem`; what it prints fits into a pipe.
  private func tandem(_ arguments: String...) throws -> Outcome {
    let candidates = [Bundle.main.executableURL, Bundle.main.bundleURL].compactMap {
      $0?.deletingLastPathComponent().appendingPathComponent("tandem")
    }
    let process = Process()
    let found = candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    let executable: URL = try #require(found, "build all targets first")
    process.executableURL = executable
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
  }

  private func withLibrary(_ body: (URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appendingPathComponent("library.store", isDirectory: true)
    try Library.create(at: url)
    try body(url)
  }

  @Test func `people read classes with their properties and rules`() throws {
    try withLibrary { url in
      let outcome = try tandem("schema", url.path)
      #expect(
        outcome.output.hasPrefix(
          """
          schema 2.1.0

          Author
            name: string, unique
            born: date, optional
            rating: double, default 0.5
            motto: string, default to "be"
            books: many Book, ordered, inverse author, cascade on delete

          Book
          """), "\(outcome)")
      for line in [
        "  isbn: string, optional, kept in history", "  author: one Author, inverse books, nullify on delete",
        "  unique (title, printed)", "  index (title, pages)", "  group (pages, price)", "Novel: Book",
        "  genre: string, default ", "  books: many Book, inverse shelves, at most 100, nullify on delete",
      ] {
        #expect(outcome.output.contains("\n\(line)\n"), "\(line) in \(outcome.output)")
      }
      #expect(!outcome.output.contains("order:") && !outcome.output.contains(".class"))
    }
  }

  @Test func `the source of models is the file that this target compiles`() throws {
    try withLibrary { url in
      let outcome = try tandem("schema", url.path, "--swift")
      #expect(outcome.status == 0, "\(outcome)")
      let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("LibraryModels.swift")
      #expect(try outcome.output == String(contentsOf: file, encoding: .utf8))
    }
  }

  @Test func `names of libraries, keywords and what is no name make source that compiles and opens the store`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appendingPathComponent("hostile.store", isDirectory: true)
    try HostileSchema.create(at: url)
    let outcome = try tandem("schema", url.path, "--swift")
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Helpers/HostileModels/HostileModels.swift")
    #expect(try outcome.output == String(contentsOf: file, encoding: .utf8))
    let names = try catalogue(url).entities.map(\.name)
    #expect(try HostileStore.addBicycle(at: url) == [7, 8])
    #expect(try HostileStore.addText(at: url) == ["both a 2001-01-01 00:00:00 +0000"])
    #expect(try catalogue(url).entities.prefix(names.count).map(\.name) == names, "no class is another entity")
    // A second time nothing is renamed any more.
    #expect(try HostileStore.addBicycle(at: url) == [7, 8, 8])
  }

  @Test func `the models open the store, read all of it, and add to it`() throws {
    try withLibrary { url in
      let entities = try catalogue(url).entities
      let container = try ModelContainer(
        for: Schema(versionedSchema: StoreModels.self), configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
      #expect(books.map(\.title) == ["Notes", "Tales"] && books.map(\.author.name) == ["Ada", "Ada"])
      let notes = try #require(books.first)
      #expect(notes.price == 12 && notes.size == 7 && notes.pages == 1 && notes.shelves.map(\.place) == [3])
      #expect(notes.facts == .object(["a": .array([.number(1), .bool(true), .null])]))
      #expect((books.last as? Novel)?.genre == "crime")
      let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
      #expect(author.books.count == 2 && author.motto == "to \"be\"")
      context.insert(Novel(title: "More", price: 1, author: author))
      try context.save()
      let after = try catalogue(url)
      // The library adds its own for keys and values, behind the app's.
      #expect(after.entities.prefix(entities.count).map(\.name) == entities.map(\.name))
      #expect(after.schemaVersion == SchemaVersion(2, 1, 0))
    }
  }

  private func catalogue(_ url: URL) throws -> Catalogue {
    try RecordStore.open(StoreConfiguration(url: url, isReadOnly: true, createsIfMissing: false)).read { $0.catalogue }
  }

  @Test func `the diagram is well-formed, with a box for each class and a line for each relationship`() throws {
    try withLibrary { url in
      let outcome = try tandem("schema", url.path, "--svg")
      let parser = XMLCounter()
      #expect(parser.parse(outcome.output), "\(outcome.output)")
      #expect(parser.classes["head"] == 5 && parser.classes["link"] == 3 && parser.classes["link above"] == 1)
      #expect(outcome.output.contains("prefers-color-scheme: dark"))
    }
  }
}
