import LocalizedTexts

/// The part of life that a report is about.
///
/// An open set: a value that this build does not know, from a newer one or an older one, is kept and written back
/// unchanged.
public struct ReportArea: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
  /// The name that is stored.
  public let rawValue: String

  /// Creates an area from its name, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The self, the mood and the mind.
  public static let personality = ReportArea(rawValue: "personality")
  /// Work and calling.
  public static let career = ReportArea(rawValue: "career")
  /// Closeness and partners.
  public static let relationship = ReportArea(rawValue: "relationship")
  /// Strength and rest.
  public static let wellness = ReportArea(rawValue: "wellness")
  /// Only on old reports.
  public static let finances = ReportArea(rawValue: "finances")
  /// Only on old reports.
  public static let relationships = ReportArea(rawValue: "relationships")
  /// Only on old reports.
  public static let health = ReportArea(rawValue: "health")
  /// Only on old reports.
  public static let general = ReportArea(rawValue: "general")

  /// What can be bought, in the order of the shop.
  public static let sold: [ReportArea] = [.personality, .career, .relationship, .wellness]

  /// What this build knows, the old ones last.
  public static let known: [ReportArea] = sold + [.finances, .relationships, .health, .general]

  /// Whether reports about it can be bought.
  public var isSold: Bool { Self.sold.contains(self) }

  /// The area under whose name it is shown; stored values stay as they are.
  public var displayed: ReportArea {
    switch self {
    case .relationships: .relationship
    case .health: .wellness
    case .general: .personality
    default: self
    }
  }

  /// The name of the symbol that Apple's systems show beside the area, among SF Symbols.
  public var icon: String {
    switch displayed {
    case .personality: "person.crop.circle"
    case .career: "briefcase"
    case .relationship: "heart"
    case .wellness: "leaf"
    case .finances: "banknote"
    default: "doc.text"
    }
  }

  /// The area's name for people; of an unknown one its raw value.
  public func name(in language: AppLanguage) -> String {
    guard let key = MessageKey(rawValue: "area.\(displayed)") else { return rawValue }
    return language.text(key)
  }

  /// The raw value.
  public var description: String { rawValue }

  /// One that can be bought. Throws `areaNotSold` with those that can.
  public static func checkedForSale(_ text: String) throws -> ReportArea {
    let area = ReportArea(rawValue: text.lowercased())
    guard area.isSold else {
      let names = sold.map(\.rawValue).joined(separator: ", ")
      throw AstroSvitlaError(.areaNotSold, .areaNotSold, .text(names))
    }
    return area
  }
}
