/// The payer: the business or the person. The raw values are the stored, imported and shown names.
public enum SubscriptionCategory: String, CaseIterable, Codable, Hashable, Sendable {
  /// Paid by the business.
  case professional = "Pro"
  /// Paid by the person.
  case personal = "Personnel"

  /// Reads the stored name or the English one, in any case.
  public init(named text: String) throws {
    let name = text.lowercased()
    guard let match = Self.allCases.first(where: { $0.rawValue.lowercased() == name || "\($0)" == name }) else {
      let names = Self.allCases.map(\.rawValue).joined(separator: " or ")
      throw SubscriptionError(.invalidValue, "the category “\(text)” is not known: use \(names)")
    }
    self = match
  }

  /// The name shown to people, in French.
  public var displayName: String { rawValue }
}
