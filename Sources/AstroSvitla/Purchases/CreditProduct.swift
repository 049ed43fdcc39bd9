/// What the app sells, and how many credits each brings.
public enum CreditProduct: String, CaseIterable, Sendable {
  case single = "com.astrosvitla.report.credit.single"
  case packOfFive = "com.astrosvitla.report.credit.pack5"
  case packOfTen = "com.astrosvitla.report.credit.pack10"

  public static let bundleID = "com.astrosvitla"

  /// For a quantity of one.
  public var credits: Int {
    switch self {
    case .single: 1
    case .packOfFive: 5
    case .packOfTen: 10
    }
  }

  public static var ids: Set<String> { Set(allCases.map(\.rawValue)) }

  /// How people name it on a command line: `single`, `pack5`, `pack10`, or the whole id.
  public init?(named text: String) {
    guard let product = Self.allCases.first(where: { $0.rawValue == text || $0.shortName == text }) else { return nil }
    self = product
  }

  public var shortName: String {
    switch self {
    case .single: "single"
    case .packOfFive: "pack5"
    case .packOfTen: "pack10"
    }
  }
}
