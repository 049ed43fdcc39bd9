public import Foundation

/// A trouble when records are taken to or from another program's file. The message names the thing and the remedy.
public struct BridgeError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of failure. It may gain values; compare it with the constants.
  public struct Code: Hashable, Sendable {
    private enum Value { case alreadyThere, inputOutput, damaged, notUnderstood, wrongValue, beyondLimits }
    private let value: Value
    /// A file or folder is where the result would be.
    public static let alreadyThere = Code(value: .alreadyThere)
    /// The system refuses to read or write.
    public static let inputOutput = Code(value: .inputOutput)
    /// The file is no database, or a damaged one.
    public static let damaged = Code(value: .damaged)
    /// The file holds nothing that could become records, or was written by a newer version of this library.
    public static let notUnderstood = Code(value: .notUnderstood)
    /// A value that its attribute cannot hold.
    public static let wrongValue = Code(value: .wrongValue)
    /// More than a bound that keeps hostile files from filling the memory.
    public static let beyondLimits = Code(value: .beyondLimits)
  }

  /// The kind of failure.
  public var code: Code
  /// One sentence that names the thing and the remedy.
  public var message: String
  /// The error below; nil where there is none.
  public var cause: (any Error)?

  /// Creates an error from its parts.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
  /// The same as ``message``.
  public var description: String { message }
  /// The same as ``message``.
  public var errorDescription: String? { message }
}
