public import Foundation

/// A scenario file that cannot be understood, or a step that cannot be carried out. The message names the place.
public struct ScenarioError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// One sentence that names the place and the mistake.
  public var message: String
  /// An error with a sentence.
  public init(_ message: String) { self.message = message }
  /// The same as ``message``.
  public var description: String { message }
  /// The same as ``message``.
  public var errorDescription: String? { message }
}
