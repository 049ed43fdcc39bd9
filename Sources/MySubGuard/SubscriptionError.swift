public import Foundation
import LocalizedTexts

/// A trouble with a person's subscriptions: a value that is not allowed, a list that does not parse, a name that
/// nobody has.
public struct SubscriptionError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The kind of trouble. Grows without breaking a `switch`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case invalidValue, malformedList, unreadableFile, notFound, ambiguous, noStore, unknownDevice, outputFailed
      case nothingToUndo, reminderFailed, nothingDue
    }
    private let kind: Kind

    /// A value of one subscription is outside its limits.
    public static let invalidValue = Code(kind: .invalidValue)
    /// A list to import does not parse; nothing of it was imported.
    public static let malformedList = Code(kind: .malformedList)
    /// A file could not be read or written.
    public static let unreadableFile = Code(kind: .unreadableFile)
    /// No subscription answers to that name or id.
    public static let notFound = Code(kind: .notFound)
    /// Several subscriptions answer to that name or id.
    public static let ambiguous = Code(kind: .ambiguous)
    /// The device has no subscriptions yet, and the caller only reads.
    public static let noStore = Code(kind: .noStore)
    /// There is no device directory at the path.
    public static let unknownDevice = Code(kind: .unknownDevice)
    /// A command's answer could not be written.
    public static let outputFailed = Code(kind: .outputFailed)
    /// There is no change to take back, or others have changed what it did.
    public static let nothingToUndo = Code(kind: .nothingToUndo)
    /// The program that a reminder was handed to did not take it.
    public static let reminderFailed = Code(kind: .reminderFailed)
    /// The subscription has no charge that could be marked.
    public static let nothingDue = Code(kind: .nothingDue)

    /// The kind's name, such as `notFound`.
    public var description: String { kind.rawValue }
  }

  /// The kind of trouble.
  public var code: Code
  /// One sentence that names the thing and the remedy, in whatever language.
  var sentence: Sentence
  /// Where in a list, when the trouble is there.
  public var position: TextPosition?
  /// The words of the layer below.
  public var cause: String?

  /// Creates an error from its parts.
  public init(_ code: Code, _ message: String, at position: TextPosition? = nil, cause: String? = nil) {
    self.init(code, Sentence(.verbatim, .text(message)), at: position, cause: cause)
  }

  package init(_ code: Code, _ sentence: Sentence, at position: TextPosition? = nil, cause: String? = nil) {
    self.code = code
    self.sentence = sentence
    self.position = position
    self.cause = cause
  }

  /// One sentence that names the thing and the remedy, in the language of ``AppLocale/current``.
  public var message: String { sentence.text(in: .current) }

  /// The message, with the cause in parentheses.
  public var description: String { cause.map { "\(message) (\($0))" } ?? message }
  /// The same as ``description``.
  public var errorDescription: String? { description }
}
