public import Foundation

/// Why a `.storekit` file or a price table cannot be used at all. A mistake in a single product is a
/// ``CatalogProblem`` instead.
///
/// ```swift
/// do {
///   _ = try PriceTable(Data("{".utf8))
/// } catch let error as CatalogError where error.code == .malformed {
///   report(error.message)
/// }
/// ```
public struct CatalogError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of a catalog's failure. It may gain values; compare it with the constants.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Value: String {
      case unreadable, tooLarge, malformed, newerFormat
    }
    fileprivate let value: Value
    /// The kind's name, such as `tooLarge`.
    public var description: String { value.rawValue }

    /// The file could not be opened or read; the cause tells why.
    public static let unreadable = Code(value: .unreadable)
    /// The file is larger than the reader's limit.
    public static let tooLarge = Code(value: .tooLarge)
    /// Not JSON, or not of the expected shape.
    public static let malformed = Code(value: .malformed)
    /// A price table of a later format.
    public static let newerFormat = Code(value: .newerFormat)
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence that names the file and the remedy.
  public let message: String
  /// The error of the system or of the JSON decoder below; nil where there is none.
  public let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
  /// The same as ``message``.
  public var description: String { message }
  /// The same as ``message``.
  public var errorDescription: String? { message }
}

/// One thing that is wrong in a catalog while the rest of it can be used.
public struct CatalogProblem: Hashable, Sendable, CustomStringConvertible {
  /// The product that it concerns; nil for the file as a whole, or a product without an identifier.
  public let productID: String?
  /// One sentence about the mistake, without the product's identifier.
  public let message: String

  init(_ productID: String?, _ message: String) {
    self.productID = productID
    self.message = message
  }
  /// The message, after the product's identifier where there is one.
  public var description: String { productID.map { "\($0): \(message)" } ?? message }
}
