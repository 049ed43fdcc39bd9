public import AppStorePurchases

/// The products that bring credits, and how many each brings.
public enum CreditProduct: String, CaseIterable, Sendable {
  /// One credit.
  case single = "com.astrosvitla.report.credit.single"
  /// Five credits.
  case packOfFive = "com.astrosvitla.report.credit.pack5"
  /// Ten credits.
  case packOfTen = "com.astrosvitla.report.credit.pack10"

  /// The bundle identifier of the app, which sells them.
  public static let bundleID = "com.astrosvitla"

  /// For a quantity of one.
  public var credits: Int {
    switch self {
    case .single: 1
    case .packOfFive: 5
    case .packOfTen: 10
    }
  }

  /// The App Store's identifiers of all of them.
  public static var ids: Set<String> { Set(allCases.map(\.rawValue)) }

  /// How people name it on a command line: `single`, `pack5`, `pack10`, or the whole id.
  public init?(named text: String) {
    guard let product = Self.allCases.first(where: { $0.rawValue == text || $0.shortName == text }) else { return nil }
    self = product
  }

  /// The name on a command line.
  public var shortName: String {
    switch self {
    case .single: "single"
    case .packOfFive: "pack5"
    case .packOfTen: "pack10"
    }
  }
}

/// The product contract's name of ``CreditProduct``.
public typealias PurchaseProduct = CreditProduct

// Under the names of the product contract.
extension CreditProduct {
  /// The same as ``single``.
  public static var singleCredit: CreditProduct { .single }

  /// All are consumables; one that the App Store sells as anything else is not offered.
  public var type: Product.ProductType { .consumable }

  /// The same as ``credits``.
  public var creditAmount: Int { credits }

  /// The name in the shop, in the language of ``AppLanguage/current``.
  public var displayName: String { displayName(in: .current) }

  /// What the shop says of it, in the language of ``AppLanguage/current``.
  public var description: String { description(in: .current) }

  /// The name in the shop.
  public func displayName(in language: AppLanguage) -> String {
    Self.catalog.definition(of: rawValue, in: language)?.displayName ?? rawValue
  }

  /// What the shop says of it.
  public func description(in language: AppLanguage) -> String {
    Self.catalog.definition(of: rawValue, in: language)?.description ?? ""
  }
}
