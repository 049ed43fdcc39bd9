import AstroSvitla

/// The name of a product on a command line.
enum ProductName {
  /// The short name; of a product that this build does not know the whole id.
  static func short(_ id: String) -> String {
    CreditProduct(rawValue: id)?.shortName ?? PlanProduct(rawValue: id)?.shortName ?? id
  }
}
