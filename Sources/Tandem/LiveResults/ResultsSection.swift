/// The results with one section title, in the order of the results.
///
/// ```swift
/// func heading(_ section: ResultsSection<Trip, String>) -> String { "\(section.title) (\(section.count))" }
/// func headings(_ sections: SectionedResults<Trip, String>) -> [String] { sections.map(heading) }
/// ```
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Identifiable,
  Equatable
{
  /// The value that the section's objects have in common.
  public let title: SectionTitle
  private let elements: [Element]

  init(title: SectionTitle, elements: [Element]) {
    self.title = title
    self.elements = elements
  }

  /// The title, which no other section has.
  public var id: SectionTitle { title }
  /// Zero.
  public var startIndex: Int { 0 }
  /// The number of objects in the section.
  public var endIndex: Int { elements.count }
  /// The object at a place of the section; a place outside is a trap.
  public subscript(position: Int) -> Element { elements[position] }
}

/// Results by section: the sections in the order of their first objects.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Equatable {
  private let sections: [ResultsSection<Element, SectionTitle>]
  private let places: [SectionTitle: Int]

  init(_ elements: [Element], by title: (Element) -> SectionTitle) {
    var titles: [SectionTitle] = []
    var members: [SectionTitle: [Element]] = [:]
    for element in elements {
      let title = title(element)
      if members[title] == nil { titles.append(title) }
      members[title, default: []].append(element)
    }
    sections = titles.map { ResultsSection(title: $0, elements: members[$0] ?? []) }
    places = Dictionary(uniqueKeysWithValues: titles.enumerated().map { ($0.element, $0.offset) })
  }

  /// The titles of all sections, in the order of the sections.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }
  /// Whether there is a section of a title. One look-up.
  public func contains(sectionTitle: SectionTitle) -> Bool { places[sectionTitle] != nil }
  /// The place of the section of a title; nil without one. One look-up.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { places[title] }
  /// The section of a title; nil without one. One look-up.
  public subscript(sectionTitle sectionTitle: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    places[sectionTitle].map { sections[$0] }
  }

  /// Zero.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { sections.count }
  /// The section at a place; a place outside is a trap.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }
}
