import Foundation
import Tandem

@Model final class Author {
  @Attribute(.unique) var name: String
  var born: Date?
  var rating: Double = 0.5
  var motto: String = "to \"be\""
  @Relationship(.ordered, deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

  init(name: String) {
    self.name = name
  }
}

@Model class Book {
  #Unique<Book>([\.title, \.printed])
  #Index<Book>([\.printed], [\.title, \.pages])
  #Group<Book>(\.pages, \.price)

  var title: String
  var pages: Int = 1
  var price: Decimal
  var isLent: Bool = false
  var printed: Date?
  var key: UUID?
  var size: UInt?
  @Attribute(.externalStorage) var cover: Data?
  var link: URL?
  var facts: JSONValue?
  @Attribute(.preserveValueOnDeletion) var isbn: String?
  var author: Author
  @Relationship(inverse: \Shelf.books) var shelves: [Shelf] = []
  @Relationship(deleteRule: .cascade, inverse: \Label.book) var label: Label?

  init(title: String, price: Decimal, author: Author) {
    self.title = title
    self.price = price
    self.author = author
  }
}

@Model final class Novel: Book {
  var genre: String = ""

  override init(title: String, price: Decimal, author: Author) {
    super.init(title: title, price: price, author: author)
  }
}

@Model final class Label {
  var `default`: String?
  var book: Book?

  init() {}
}

@Model final class Shelf {
  var place: Int
  @Relationship(maximumModelCount: 100) var books: [Book] = []

  init(place: Int) {
    self.place = place
  }
}

/// The store's schema: `ModelContainer(for: Schema(versionedSchema: StoreModels.self))`.
enum StoreModels: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 1, 0) }
  static var models: [any PersistentModel.Type] {
    [Author.self, Book.self, Novel.self, Label.self, Shelf.self]
  }
}

/// A `Codable` value by its JSON: the store does not know its type. Put the type of your app in its place.
enum JSONValue: Codable, Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
