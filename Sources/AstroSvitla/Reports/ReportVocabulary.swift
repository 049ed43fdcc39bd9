/// The words from which ``NatalReportWriter`` makes a report in one language. Whole phrases, so that no grammar is
/// needed to put them together.
struct ReportVocabulary: Sendable {
  /// Such as "in Aries".
  var inSign: [ZodiacSign: String]
  /// What a sign gives to whatever stands in it, as a sentence without its end.
  var signManner: [ZodiacSign: String]
  var planetName: [Planet: String]
  /// What a planet stands for, as the beginning of a sentence.
  var planetTheme: [Planet: String]
  /// The element at index n is the theme of house n + 1.
  var houseTheme: [String]
  var aspectName: [AspectKind: String]
  var aspectMeaning: [AspectKind: String]
  var elementLead: [ZodiacSign.Element: String]
  var modalityLead: [ZodiacSign.Modality: String]
  var motion: [Aspect.Motion: String]
  /// With the number of the house: "house 7".
  var house: @Sendable (Int) -> String
  var opening: [ReportArea: String]
  var closing: [ReportArea: String]
  var retrograde: String
  var noAspects: String
  var ascendant: String
  /// With a number of degrees: "2.1° from exact".
  var deviation: @Sendable (String) -> String

  static func of(_ language: AppLanguage) -> ReportVocabulary {
    switch language {
    case .english: .english
    case .ukrainian: .ukrainian
    }
  }
}
