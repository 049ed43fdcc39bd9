import LocalizedTexts

/// The words from which ``NatalReportWriter`` makes a report in one language: whole phrases of the table of texts, so
/// that no grammar is needed to put them together.
struct ReportVocabulary: Sendable {
  let locale: AppLocale

  init(_ language: AppLanguage) { locale = AppLocale(language) }

  /// Such as "in Aries".
  func inSign(_ sign: ZodiacSign) -> String { phrase("inSign", sign) }
  /// What a sign gives to whatever stands in it, as a sentence without its end.
  func signManner(_ sign: ZodiacSign) -> String { phrase("signManner", sign) }
  /// Such as "The Moon".
  func planetName(_ planet: Planet) -> String { phrase("planetName", planet) }
  /// What a planet stands for, as the beginning of a sentence.
  func planetTheme(_ planet: Planet) -> String { phrase("planetTheme", planet) }
  /// What a house is about; 1 to 12.
  func houseTheme(_ house: Int) -> String { text("houseTheme.\(house)") }
  /// With the number of the house: "house 7".
  func house(_ number: Int) -> String { text("house", "\(number)") }
  /// Such as "conjunct".
  func aspectName(_ kind: AspectKind) -> String { phrase("aspectName", kind) }
  /// What an aspect does to its two planets.
  func aspectMeaning(_ kind: AspectKind) -> String { phrase("aspectMeaning", kind) }
  /// What it means that an element leads.
  func elementLead(_ element: ZodiacSign.Element) -> String { phrase("elementLead", element) }
  /// What it means that a modality leads.
  func modalityLead(_ modality: ZodiacSign.Modality) -> String { phrase("modalityLead", modality) }
  /// What the motion of an aspect means.
  func motion(_ motion: Aspect.Motion) -> String { phrase("motion", motion) }
  /// The first sentence about an area.
  func opening(_ area: ReportArea) -> String { phrase("opening", area) }
  /// The last sentence about an area.
  func closing(_ area: ReportArea) -> String { phrase("closing", area) }
  /// What is missing where the hour of birth is not known.
  var noTime: String { text("noTime") }
  /// That a planet changed signs on a day whose hour is not known.
  func twoSigns(_ planet: Planet, _ signs: [ZodiacSign]) -> String {
    let names = signs.map { $0.name(in: locale.language) }
    return text("twoSigns", planetName(planet), names.first ?? "", names.last ?? "")
  }
  /// That a planet was retrograde.
  var retrograde: String { text("retrograde") }
  /// That the planets of an area have no aspects.
  var noAspects: String { text("noAspects") }
  /// The ascendant as the beginning of a sentence.
  var ascendant: String { text("ascendant") }
  /// A number of degrees: "2.1° from exact".
  func deviation(_ degrees: Double) -> String { text("deviation", locale.number(degrees, decimals: 1)) }

  private func phrase(_ group: String, _ value: some RawRepresentable<String>) -> String {
    text("\(group).\(value.rawValue.lowercased())")
  }

  private func text(_ name: String, _ arguments: String...) -> String {
    StringTable.filled(locale.language.table["report.\(name)"], with: arguments)
  }
}
