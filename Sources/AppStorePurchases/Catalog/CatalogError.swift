public import Foundation

/// Why a `.storekit` file or a price table cannot be used at all. What is wrong with a single product is a
/// ``CatalogProblem`` instead.
public struct CatalogError: LocalizedError, Sendable, CustomStringConvertible {
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Value: String {
      case unreadable, tooLarge, malformed, newerFormat
    }
    fileprivate let value: Value
    public var description: String { value.rawValue }

    public static let unreadable = Code(value: .unreadable)
    public static let tooLarge = Code(value: .tooLarge)
    /// Not JSON, or not of the expected shape.
    public static let malformed = Code(value: .malformed)
    /// A price table of a later format.
    public static let newerFormat = Code(value: .newerFormat)
  }

  public let code: Code
  public let message: String
  public let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
  public var description: String { message }
  public var errorDescription: String? { message }
}

/// One thing that is wrong in a catalog while the rest of it can be used.
public struct CatalogProblem: Hashable, Sendable, CustomStringConvertible {
  /// What it concerns; nil for the file as a whole, or a product without an identifier.
  public let productID: String?
  public let message: String

  init(_ productID: String?, _ message: String) {
    self.productID = productID
    self.message = message
  }
  public var description: String { productID.map { "\($0): \(message)" } ?? message }
}
