/// The results with one section name, in the order of the results.
public struct ResultsSection<Element: PersistentModel, SectionName: Hashable>: RandomAccessCollection, Identifiable {
  public let name: SectionName
  private let elements: [Element]

  init(name: SectionName, elements: [Element]) {
    self.name = name
    self.elements = elements
  }

  public var id: SectionName { name }
  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public subscript(position: Int) -> Element { elements[position] }
}

/// Results by section: the sections in the order of their first objects.
public struct ResultsSectionCollection<Element: PersistentModel, SectionName: Hashable>: RandomAccessCollection {
  private let sections: [ResultsSection<Element, SectionName>]
  private let places: [SectionName: Int]

  init(_ elements: [Element], by name: (Element) -> SectionName) {
    var names: [SectionName] = []
    var members: [SectionName: [Element]] = [:]
    for element in elements {
      let name = name(element)
      if members[name] == nil { names.append(name) }
      members[name, default: []].append(element)
    }
    sections = names.map { ResultsSection(name: $0, elements: members[$0] ?? []) }
    places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($0.element, $0.offset) })
  }

  public var sectionNames: [SectionName] { sections.map(\.name) }
  public func contains(sectionName: SectionName) -> Bool { places[sectionName] != nil }
  public func index(ofSectionNamed name: SectionName) -> Int? { places[name] }
  public subscript(sectionName sectionName: SectionName) -> ResultsSection<Element, SectionName>? {
    places[sectionName].map { sections[$0] }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { sections.count }
  public subscript(position: Int) -> ResultsSection<Element, SectionName> { sections[position] }
}
