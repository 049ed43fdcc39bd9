import SwiftData
import Testing

/// Predicates that ask predicates, as apps compose them: `other.evaluate($0)`.
@MainActor
@Suite struct PredicateEvaluateTests {
  @Model
  final class Book {
    #Index<Book>([\.pages])
    var title: String
    var pages: Int
    var shelf: Shelf?

    init(_ title: String, pages: Int) {
      self.title = title
      self.pages = pages
    }

    static let isLong = #Predicate<Book> { $0.pages > 300 }
    static func isLonger(than pages: Int) -> Predicate<Book> { #Predicate { $0.pages > pages } }
  }

  @Model
  final class Shelf {
    var name: String
    @Relationship(inverse: \Book.shelf) var books: [Book] = []
    init(name: String) { self.name = name }
  }

  private struct Choice {
    var rule = #Predicate<Book> { $0.title.contains("a") }
  }

  private let context: ModelContext

  init() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    context = try ModelContainer(for: Book.self, Shelf.self, configurations: configuration).mainContext
    let low = Shelf(name: "low")
    let high = Shelf(name: "high")
    for (title, pages) in [("atlas", 500), ("drama", 90), ("epic", 800), ("fable", 20)] {
      let book = Book(title, pages: pages)
      context.insert(book)
      book.shelf = pages > 300 ? low : high
    }
    try context.save()
  }

  private func titles(_ predicate: Predicate<Book>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
  }

  @Test func `a predicate asks another for its own object`() throws {
    let short = #Predicate<Book> { $0.pages < 100 }
    #expect(try titles(#Predicate { short.evaluate($0) }) == ["drama", "fable"])
    #expect(try titles(#Predicate<Book> { book in !short.evaluate(book) && book.title != "epic" }) == ["atlas"])
    #expect(try titles(#Predicate { short.evaluate($0) || $0.pages > 700 }) == ["drama", "epic", "fable"])
    let both = #Predicate { (book: Book) in short.evaluate(book) && book.title.starts(with: "f") }
    #expect(try titles(both) == ["fable"])
    #expect(try titles(#Predicate { $0.shelf != nil && short.evaluate($0) }) == ["drama", "fable"])
    #expect(try titles(#Predicate { both.evaluate($0) || Book.isLong.evaluate($0) }) == ["atlas", "epic", "fable"])
  }

  @Test func `the predicate asked may be any expression`() throws {
    let choice = Choice()
    let rules = [Book.isLong, choice.rule]
    #expect(try titles(#Predicate { Book.isLong.evaluate($0) }) == ["atlas", "epic"])
    #expect(try titles(#Predicate { choice.rule.evaluate($0) && $0.pages < 50 }) == ["fable"])
    #expect(try titles(#Predicate { Book.isLonger(than: 600).evaluate($0) }) == ["epic"])
    #expect(try titles(#Predicate { rules[0].evaluate($0) && rules[1].evaluate($0) }) == ["atlas"])
  }

  @Test func `a predicate asks about related objects`() throws {
    let high = #Predicate<Shelf> { $0.name == "high" }
    let wanted = #Predicate<Book> { book in
      if let shelf = book.shelf { high.evaluate(shelf) } else { false }
    }
    #expect(try titles(wanted) == ["drama", "fable"])
    let shelves = #Predicate<Shelf> { shelf in shelf.books.contains { Book.isLong.evaluate($0) } }
    #expect(try context.fetch(FetchDescriptor(predicate: shelves)).map(\.name) == ["low"])
  }

  @Test func `an index serves what a predicate asks`() throws {
    let text = try FetchDescriptor(predicate: #Predicate<Book> { Book.isLong.evaluate($0) }).explain(in: context)
    #expect(text.contains("index"))
    #expect(!text.contains("in Swift"))
  }

  @Test func `a predicate asks expressions for values`() throws {
    let weight = #Expression<Book, Int> { $0.pages / 100 + 1 }
    #expect(try titles(#Predicate { weight.evaluate($0) > 5 }) == ["atlas", "epic"])
    #expect(try titles(#Predicate { weight.evaluate($0) == 1 && Book.isLonger(than: 50).evaluate($0) }) == ["drama"])
    let shelfName = #Expression<Book, String?> { $0.shelf?.name }
    #expect(
      try titles(#Predicate { shelfName.evaluate($0) == "high" && !Book.isLong.evaluate($0) }) == ["drama", "fable"])
    let longBooks = #Expression<[Book], Int> { books in books.filter { $0.pages > 300 }.count }
    let shelves = #Predicate<Shelf> { longBooks.evaluate($0.books) == 2 }
    #expect(try context.fetch(FetchDescriptor(predicate: shelves)).map(\.name) == ["low"])
    #expect(try shelves.evaluate(#require(try context.fetch(FetchDescriptor<Shelf>(predicate: shelves)).first)))
  }

  @Test func `what asks can be asked outside of fetches, and of values that are no models`() throws {
    let wanted = #Predicate<Book> { Book.isLong.evaluate($0) && $0.title != "epic" }
    #expect(try wanted.evaluate(Book("long", pages: 301)))
    #expect(try !wanted.evaluate(Book("epic", pages: 301)))
    #expect(try #Predicate<Int> { $0 > 3 }.evaluate(4))
    #expect(try #Predicate<Book, Int> { $0.pages > $1 }.evaluate(Book("two", pages: 2), 1))
  }
}
