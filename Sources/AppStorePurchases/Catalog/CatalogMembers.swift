import Foundation

/// The members of an object in a `.storekit` file. What has a wrong type is taken as missing and noted.
struct CatalogMembers {
  struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// An object inside another, read by the type that knows what it is.
  struct Nested: Decodable {
    let container: KeyedDecodingContainer<Name>

    init(from decoder: any Decoder) throws {
      container = try decoder.container(keyedBy: Name.self)
    }
  }

  /// An element of a list; nil when it is not an object.
  struct Element: Decodable {
    let nested: Nested?

    init(from decoder: any Decoder) throws {
      nested = try? Nested(from: decoder)
    }
  }

  private let container: KeyedDecodingContainer<Name>
  /// The product that the problems are about.
  var productID: String?
  private(set) var problems: [CatalogProblem] = []

  init(_ container: KeyedDecodingContainer<Name>, productID: String? = nil) {
    self.container = container
    self.productID = productID
  }

  mutating func value<Value: Decodable>(_ name: String, _: Value.Type = Value.self) -> Value? {
    do {
      return try container.decodeIfPresent(Value.self, forKey: Name(stringValue: name))
    } catch {
      note("the member \(name) has a wrong type and is taken as missing")
      return nil
    }
  }

  /// The objects of a list, each read by `read`; those that are no objects are noted.
  mutating func objects<Value>(_ name: String, _ read: (inout CatalogMembers) -> Value?) -> [Value] {
    (value(name, [Element].self) ?? []).compactMap { element in
      guard let nested = element.nested else {
        note("an element of \(name) is not an object and is left out")
        return nil
      }
      return self.read(nested, read)
    }
  }

  mutating func object<Value>(_ name: String, _ read: (inout CatalogMembers) -> Value?) -> Value? {
    value(name, Nested.self).flatMap { self.read($0, read) }
  }

  mutating func note(_ message: String) {
    problems.append(CatalogProblem(productID, message))
  }

  private mutating func read<Value>(_ nested: Nested, _ read: (inout CatalogMembers) -> Value?) -> Value? {
    var members = CatalogMembers(nested.container, productID: productID)
    defer { problems += members.problems }
    return read(&members)
  }
}
