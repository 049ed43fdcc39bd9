/// A place in history: keep it, and ask later for what came after it.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// The type of what the token stands for.
  associatedtype TokenType
  /// The token's value; nil before the first transaction.
  var tokenValue: TokenType? { get }
}
