public import Foundation

/// A trouble when a store is written out or read in. The message names the thing and the remedy.
public struct InspectionError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of failure. It may gain values; compare it with the constants.
  public struct Code: Hashable, Sendable {
    private enum Value { case notADump, newerDump, malformedLine, unknownName, wrongValue, inputOutput }
    private let value: Value
    /// The text does not begin with the schema line of a dump.
    public static let notADump = Code(value: .notADump)
    /// Written by a newer version of this library.
    public static let newerDump = Code(value: .newerDump)
    /// A line that is no JSON, or lacks a member.
    public static let malformedLine = Code(value: .malformedLine)
    /// A line names an entity or field that neither the schema line nor the store has.
    public static let unknownName = Code(value: .unknownName)
    /// A value that its field cannot hold.
    public static let wrongValue = Code(value: .wrongValue)
    /// The text cannot be read.
    public static let inputOutput = Code(value: .inputOutput)
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
