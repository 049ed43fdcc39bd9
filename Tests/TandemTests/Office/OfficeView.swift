import Foundation
import Tandem

/// What a context shows of the whole schema, as names.
struct OfficeView: Equatable {
  /// By name of an object, its value and the names that each of its relationships leads to. Without an order of their
  /// own, sorted.
  var links: [String: [String: [String]]] = [:]
  /// What fetches find that ask for relationships.
  var answers: [String: [String]] = [:]

  /// Links to what a save would take away are left out, as the save would.
  init(_ context: ModelContext) throws {
    answers = try Self.answers(context)
    var objects: [(OfficeKind, any OfficeObject)] = []
    for kind in OfficeKind.allCases where kind != .nightTeam {
      for object in try kind.fetch(context) { objects.append((object is Office.NightTeam ? .nightTeam : kind, object)) }
    }
    let present = Set(objects.map(\.1.name))
    for (kind, object) in objects {
      var found = ["mark": ["\(object.mark)"]]
      for link in OfficeLink.all where kind.isKind(of: link.holder) {
        let names = link.targets(object).map(\.name).filter { present.contains($0) }
        found[link.name] = link.form == .ordered ? names : names.sorted()
      }
      if links.updateValue(found, forKey: object.name) != nil { answers["twice", default: []].append(object.name) }
    }
  }

  private static func answers(_ context: ModelContext) throws -> [String: [String]] {
    func names<M: OfficeObject>(_ descriptor: FetchDescriptor<M>) throws -> [String] {
      try context.fetch(descriptor).map(\.name)
    }
    var window = FetchDescriptor<Office.Worker>(sortBy: [SortDescriptor(\.name, order: .reverse)])
    window.fetchLimit = 3
    window.fetchOffset = 1
    return [
      "teams without firm": try names(FetchDescriptor<Office.Team>(predicate: #Predicate { $0.firm == nil })),
      "firms with teams": try names(FetchDescriptor<Office.Firm>(predicate: #Predicate { !$0.teams.isEmpty })),
      "firms with big teams": try names(
        FetchDescriptor<Office.Firm>(predicate: #Predicate { $0.teams.contains { $0.members.count > 1 } })),
      "projects in teams with badges": try names(
        FetchDescriptor<Office.Project>(predicate: #Predicate { $0.teams.contains { $0.badge != nil } })),
      "pupils of pupils": try names(
        FetchDescriptor<Office.Worker>(predicate: #Predicate { $0.mentor?.mentor != nil })),
      "workers by team": try names(
        FetchDescriptor<Office.Worker>(sortBy: [SortDescriptor(\.team?.name), SortDescriptor(\.name)])),
      "some workers": try names(window),
      "workers at desks": try names(FetchDescriptor<Office.Worker>(predicate: #Predicate { $0.desk != nil })),
      "charters of firms": try names(FetchDescriptor<Office.Charter>(predicate: #Predicate { $0.firm != nil })),
      "night teams": try names(FetchDescriptor<Office.NightTeam>(predicate: #Predicate { $0.lamp != nil })),
    ]
  }

  /// Links of which the other side does not know.
  var halves: [String] {
    links.flatMap { holder, own in
      OfficeLink.all.flatMap { link -> [String] in
        guard let inverse = link.inverse, let targets = own[link.name] else { return [] }
        return targets.filter { links[$0]?[inverse]?.contains(holder) != true }
          .map { "\(holder).\(link.name) leads to \($0), which does not know" }
      }
    }.sorted()
  }

  /// Where another view differs, in words; empty if nowhere.
  func differences(_ other: OfficeView) -> [String] {
    linkDifferences(other)
      + answers.keys.sorted().filter { answers[$0] != other.answers[$0] }.map { question in
        "\(question): \(answers[question] ?? []), then \(other.answers[question] ?? [])"
      }
  }

  /// Where objects or links of another view differ.
  func linkDifferences(_ other: OfficeView) -> [String] {
    var found: [String] = []
    for name in Set(links.keys).union(other.links.keys).sorted() {
      guard let left = links[name], let right = other.links[name] else {
        found.append("\(name): \(links[name] == nil ? "missing, then there" : "there, then missing")")
        continue
      }
      for link in left.keys.sorted() where left[link] != right[link] {
        found.append("\(name).\(link): \(left[link] ?? []), then \(right[link] ?? [])")
      }
    }
    return found
  }
}
