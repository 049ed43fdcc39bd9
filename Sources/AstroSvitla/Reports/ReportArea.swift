/// The part of life that a report is about.
///
/// An open set: a value that this build does not know, from a newer one or an older one, is kept and written back
/// unchanged.
public struct ReportArea: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public static let personality = ReportArea(rawValue: "personality")
  public static let career = ReportArea(rawValue: "career")
  public static let relationship = ReportArea(rawValue: "relationship")
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

  /// The area's name for people; of an unknown one its raw value.
  public func name(in language: AppLanguage) -> String {
    let names: (english: String, ukrainian: String)? =
      switch displayed {
      case .personality: ("Personality", "Особистість")
      case .career: ("Career", "Кар’єра")
      case .relationship: ("Relationships", "Стосунки")
      case .wellness: ("Wellness", "Здоров’я")
      case .finances: ("Finances", "Фінанси")
      default: nil
      }
    guard let names else { return rawValue }
    return language == .english ? names.english : names.ukrainian
  }

  public var description: String { rawValue }

  /// One that can be bought. Throws `areaNotSold` with those that can.
  public static func checkedForSale(_ text: String) throws -> ReportArea {
    let area = ReportArea(rawValue: text.lowercased())
    guard area.isSold else {
      let names = sold.map(\.rawValue).joined(separator: ", ")
      throw AstroSvitlaError(
        .areaNotSold, "reports are sold about \(names): choose one of these areas",
        ukrainian: "звіти продаються на теми \(names): виберіть одну з них")
    }
    return area
  }
}
