import SwiftData
import Testing

// One relationship for each pair of delete rules and each form: `manyCascadeDeny` is one-to-many, cascades from the hub
// to the leaf and denies from the leaf to the hub.

@Model
final class Hub {
  var name: String
  @Relationship(deleteRule: .noAction, inverse: \Leaf.manyNoActionNoAction) var manyNoActionNoAction: [Leaf] = []
  @Relationship(deleteRule: .noAction, inverse: \Leaf.manyNoActionNullify) var manyNoActionNullify: [Leaf] = []
  @Relationship(deleteRule: .noAction, inverse: \Leaf.manyNoActionCascade) var manyNoActionCascade: [Leaf] = []
  @Relationship(deleteRule: .noAction, inverse: \Leaf.manyNoActionDeny) var manyNoActionDeny: [Leaf] = []
  @Relationship(deleteRule: .nullify, inverse: \Leaf.manyNullifyNoAction) var manyNullifyNoAction: [Leaf] = []
  @Relationship(deleteRule: .nullify, inverse: \Leaf.manyNullifyNullify) var manyNullifyNullify: [Leaf] = []
  @Relationship(deleteRule: .nullify, inverse: \Leaf.manyNullifyCascade) var manyNullifyCascade: [Leaf] = []
  @Relationship(deleteRule: .nullify, inverse: \Leaf.manyNullifyDeny) var manyNullifyDeny: [Leaf] = []
  @Relationship(deleteRule: .cascade, inverse: \Leaf.manyCascadeNoAction) var manyCascadeNoAction: [Leaf] = []
  @Relationship(deleteRule: .cascade, inverse: \Leaf.manyCascadeNullify) var manyCascadeNullify: [Leaf] = []
  @Relationship(deleteRule: .cascade, inverse: \Leaf.manyCascadeCascade) var manyCascadeCascade: [Leaf] = []
  @Relationship(deleteRule: .cascade, inverse: \Leaf.manyCascadeDeny) var manyCascadeDeny: [Leaf] = []
  @Relationship(deleteRule: .deny, inverse: \Leaf.manyDenyNoAction) var manyDenyNoAction: [Leaf] = []
  @Relationship(deleteRule: .deny, inverse: \Leaf.manyDenyNullify) var manyDenyNullify: [Leaf] = []
  @Relationship(deleteRule: .deny, inverse: \Leaf.manyDenyCascade) var manyDenyCascade: [Leaf] = []
  @Relationship(deleteRule: .deny, inverse: \Leaf.manyDenyDeny) var manyDenyDeny: [Leaf] = []
  @Relationship(deleteRule: .noAction, inverse: \Leaf.oneNoActionNoAction) var oneNoActionNoAction: Leaf?
  @Relationship(deleteRule: .noAction, inverse: \Leaf.oneNoActionNullify) var oneNoActionNullify: Leaf?
  @Relationship(deleteRule: .noAction, inverse: \Leaf.oneNoActionCascade) var oneNoActionCascade: Leaf?
  @Relationship(deleteRule: .noAction, inverse: \Leaf.oneNoActionDeny) var oneNoActionDeny: Leaf?
  @Relationship(deleteRule: .nullify, inverse: \Leaf.oneNullifyNoAction) var oneNullifyNoAction: Leaf?
  @Relationship(deleteRule: .nullify, inverse: \Leaf.oneNullifyNullify) var oneNullifyNullify: Leaf?
  @Relationship(deleteRule: .nullify, inverse: \Leaf.oneNullifyCascade) var oneNullifyCascade: Leaf?
  @Relationship(deleteRule: .nullify, inverse: \Leaf.oneNullifyDeny) var oneNullifyDeny: Leaf?
  @Relationship(deleteRule: .cascade, inverse: \Leaf.oneCascadeNoAction) var oneCascadeNoAction: Leaf?
  @Relationship(deleteRule: .cascade, inverse: \Leaf.oneCascadeNullify) var oneCascadeNullify: Leaf?
  @Relationship(deleteRule: .cascade, inverse: \Leaf.oneCascadeCascade) var oneCascadeCascade: Leaf?
  @Relationship(deleteRule: .cascade, inverse: \Leaf.oneCascadeDeny) var oneCascadeDeny: Leaf?
  @Relationship(deleteRule: .deny, inverse: \Leaf.oneDenyNoAction) var oneDenyNoAction: Leaf?
  @Relationship(deleteRule: .deny, inverse: \Leaf.oneDenyNullify) var oneDenyNullify: Leaf?
  @Relationship(deleteRule: .deny, inverse: \Leaf.oneDenyCascade) var oneDenyCascade: Leaf?
  @Relationship(deleteRule: .deny, inverse: \Leaf.oneDenyDeny) var oneDenyDeny: Leaf?
  @Relationship(deleteRule: .noAction, inverse: \Leaf.bothNoActionNoAction) var bothNoActionNoAction: [Leaf] = []
  @Relationship(deleteRule: .noAction, inverse: \Leaf.bothNoActionNullify) var bothNoActionNullify: [Leaf] = []
  @Relationship(deleteRule: .noAction, inverse: \Leaf.bothNoActionCascade) var bothNoActionCascade: [Leaf] = []
  @Relationship(deleteRule: .noAction, inverse: \Leaf.bothNoActionDeny) var bothNoActionDeny: [Leaf] = []
  @Relationship(deleteRule: .nullify, inverse: \Leaf.bothNullifyNoAction) var bothNullifyNoAction: [Leaf] = []
  @Relationship(deleteRule: .nullify, inverse: \Leaf.bothNullifyNullify) var bothNullifyNullify: [Leaf] = []
  @Relationship(deleteRule: .nullify, inverse: \Leaf.bothNullifyCascade) var bothNullifyCascade: [Leaf] = []
  @Relationship(deleteRule: .nullify, inverse: \Leaf.bothNullifyDeny) var bothNullifyDeny: [Leaf] = []
  @Relationship(deleteRule: .cascade, inverse: \Leaf.bothCascadeNoAction) var bothCascadeNoAction: [Leaf] = []
  @Relationship(deleteRule: .cascade, inverse: \Leaf.bothCascadeNullify) var bothCascadeNullify: [Leaf] = []
  @Relationship(deleteRule: .cascade, inverse: \Leaf.bothCascadeCascade) var bothCascadeCascade: [Leaf] = []
  @Relationship(deleteRule: .cascade, inverse: \Leaf.bothCascadeDeny) var bothCascadeDeny: [Leaf] = []
  @Relationship(deleteRule: .deny, inverse: \Leaf.bothDenyNoAction) var bothDenyNoAction: [Leaf] = []
  @Relationship(deleteRule: .deny, inverse: \Leaf.bothDenyNullify) var bothDenyNullify: [Leaf] = []
  @Relationship(deleteRule: .deny, inverse: \Leaf.bothDenyCascade) var bothDenyCascade: [Leaf] = []
  @Relationship(deleteRule: .deny, inverse: \Leaf.bothDenyDeny) var bothDenyDeny: [Leaf] = []

  init(name: String) { self.name = name }
}

@Model
final class Leaf {
  var name: String
  @Relationship(deleteRule: .noAction) var manyNoActionNoAction: Hub?
  @Relationship(deleteRule: .nullify) var manyNoActionNullify: Hub?
  @Relationship(deleteRule: .cascade) var manyNoActionCascade: Hub?
  @Relationship(deleteRule: .deny) var manyNoActionDeny: Hub?
  @Relationship(deleteRule: .noAction) var manyNullifyNoAction: Hub?
  @Relationship(deleteRule: .nullify) var manyNullifyNullify: Hub?
  @Relationship(deleteRule: .cascade) var manyNullifyCascade: Hub?
  @Relationship(deleteRule: .deny) var manyNullifyDeny: Hub?
  @Relationship(deleteRule: .noAction) var manyCascadeNoAction: Hub?
  @Relationship(deleteRule: .nullify) var manyCascadeNullify: Hub?
  @Relationship(deleteRule: .cascade) var manyCascadeCascade: Hub?
  @Relationship(deleteRule: .deny) var manyCascadeDeny: Hub?
  @Relationship(deleteRule: .noAction) var manyDenyNoAction: Hub?
  @Relationship(deleteRule: .nullify) var manyDenyNullify: Hub?
  @Relationship(deleteRule: .cascade) var manyDenyCascade: Hub?
  @Relationship(deleteRule: .deny) var manyDenyDeny: Hub?
  @Relationship(deleteRule: .noAction) var oneNoActionNoAction: Hub?
  @Relationship(deleteRule: .nullify) var oneNoActionNullify: Hub?
  @Relationship(deleteRule: .cascade) var oneNoActionCascade: Hub?
  @Relationship(deleteRule: .deny) var oneNoActionDeny: Hub?
  @Relationship(deleteRule: .noAction) var oneNullifyNoAction: Hub?
  @Relationship(deleteRule: .nullify) var oneNullifyNullify: Hub?
  @Relationship(deleteRule: .cascade) var oneNullifyCascade: Hub?
  @Relationship(deleteRule: .deny) var oneNullifyDeny: Hub?
  @Relationship(deleteRule: .noAction) var oneCascadeNoAction: Hub?
  @Relationship(deleteRule: .nullify) var oneCascadeNullify: Hub?
  @Relationship(deleteRule: .cascade) var oneCascadeCascade: Hub?
  @Relationship(deleteRule: .deny) var oneCascadeDeny: Hub?
  @Relationship(deleteRule: .noAction) var oneDenyNoAction: Hub?
  @Relationship(deleteRule: .nullify) var oneDenyNullify: Hub?
  @Relationship(deleteRule: .cascade) var oneDenyCascade: Hub?
  @Relationship(deleteRule: .deny) var oneDenyDeny: Hub?
  @Relationship(deleteRule: .noAction) var bothNoActionNoAction: [Hub] = []
  @Relationship(deleteRule: .nullify) var bothNoActionNullify: [Hub] = []
  @Relationship(deleteRule: .cascade) var bothNoActionCascade: [Hub] = []
  @Relationship(deleteRule: .deny) var bothNoActionDeny: [Hub] = []
  @Relationship(deleteRule: .noAction) var bothNullifyNoAction: [Hub] = []
  @Relationship(deleteRule: .nullify) var bothNullifyNullify: [Hub] = []
  @Relationship(deleteRule: .cascade) var bothNullifyCascade: [Hub] = []
  @Relationship(deleteRule: .deny) var bothNullifyDeny: [Hub] = []
  @Relationship(deleteRule: .noAction) var bothCascadeNoAction: [Hub] = []
  @Relationship(deleteRule: .nullify) var bothCascadeNullify: [Hub] = []
  @Relationship(deleteRule: .cascade) var bothCascadeCascade: [Hub] = []
  @Relationship(deleteRule: .deny) var bothCascadeDeny: [Hub] = []
  @Relationship(deleteRule: .noAction) var bothDenyNoAction: [Hub] = []
  @Relationship(deleteRule: .nullify) var bothDenyNullify: [Hub] = []
  @Relationship(deleteRule: .cascade) var bothDenyCascade: [Hub] = []
  @Relationship(deleteRule: .deny) var bothDenyDeny: [Hub] = []

  init(name: String) { self.name = name }
}

/// A form of relationship with a pair of rules, and how to use it.
struct RulePair: CustomTestStringConvertible, Sendable {
  let form: String
  let hubRule: Schema.Relationship.DeleteRule
  let leafRule: Schema.Relationship.DeleteRule
  let link: @Sendable (Hub, Leaf) -> Void
  let leaves: @Sendable (Hub) -> [Leaf]
  let hubs: @Sendable (Leaf) -> [Hub]

  var testDescription: String { "\(form), \(hubRule) from the hub, \(leafRule) from the leaf" }

  static let all: [RulePair] = [
    .many(.noAction, .noAction, { \.manyNoActionNoAction }, { \.manyNoActionNoAction }),
    .many(.noAction, .nullify, { \.manyNoActionNullify }, { \.manyNoActionNullify }),
    .many(.noAction, .cascade, { \.manyNoActionCascade }, { \.manyNoActionCascade }),
    .many(.noAction, .deny, { \.manyNoActionDeny }, { \.manyNoActionDeny }),
    .many(.nullify, .noAction, { \.manyNullifyNoAction }, { \.manyNullifyNoAction }),
    .many(.nullify, .nullify, { \.manyNullifyNullify }, { \.manyNullifyNullify }),
    .many(.nullify, .cascade, { \.manyNullifyCascade }, { \.manyNullifyCascade }),
    .many(.nullify, .deny, { \.manyNullifyDeny }, { \.manyNullifyDeny }),
    .many(.cascade, .noAction, { \.manyCascadeNoAction }, { \.manyCascadeNoAction }),
    .many(.cascade, .nullify, { \.manyCascadeNullify }, { \.manyCascadeNullify }),
    .many(.cascade, .cascade, { \.manyCascadeCascade }, { \.manyCascadeCascade }),
    .many(.cascade, .deny, { \.manyCascadeDeny }, { \.manyCascadeDeny }),
    .many(.deny, .noAction, { \.manyDenyNoAction }, { \.manyDenyNoAction }),
    .many(.deny, .nullify, { \.manyDenyNullify }, { \.manyDenyNullify }),
    .many(.deny, .cascade, { \.manyDenyCascade }, { \.manyDenyCascade }),
    .many(.deny, .deny, { \.manyDenyDeny }, { \.manyDenyDeny }),
    .one(.noAction, .noAction, { \.oneNoActionNoAction }, { \.oneNoActionNoAction }),
    .one(.noAction, .nullify, { \.oneNoActionNullify }, { \.oneNoActionNullify }),
    .one(.noAction, .cascade, { \.oneNoActionCascade }, { \.oneNoActionCascade }),
    .one(.noAction, .deny, { \.oneNoActionDeny }, { \.oneNoActionDeny }),
    .one(.nullify, .noAction, { \.oneNullifyNoAction }, { \.oneNullifyNoAction }),
    .one(.nullify, .nullify, { \.oneNullifyNullify }, { \.oneNullifyNullify }),
    .one(.nullify, .cascade, { \.oneNullifyCascade }, { \.oneNullifyCascade }),
    .one(.nullify, .deny, { \.oneNullifyDeny }, { \.oneNullifyDeny }),
    .one(.cascade, .noAction, { \.oneCascadeNoAction }, { \.oneCascadeNoAction }),
    .one(.cascade, .nullify, { \.oneCascadeNullify }, { \.oneCascadeNullify }),
    .one(.cascade, .cascade, { \.oneCascadeCascade }, { \.oneCascadeCascade }),
    .one(.cascade, .deny, { \.oneCascadeDeny }, { \.oneCascadeDeny }),
    .one(.deny, .noAction, { \.oneDenyNoAction }, { \.oneDenyNoAction }),
    .one(.deny, .nullify, { \.oneDenyNullify }, { \.oneDenyNullify }),
    .one(.deny, .cascade, { \.oneDenyCascade }, { \.oneDenyCascade }),
    .one(.deny, .deny, { \.oneDenyDeny }, { \.oneDenyDeny }),
    .both(.noAction, .noAction, { \.bothNoActionNoAction }, { \.bothNoActionNoAction }),
    .both(.noAction, .nullify, { \.bothNoActionNullify }, { \.bothNoActionNullify }),
    .both(.noAction, .cascade, { \.bothNoActionCascade }, { \.bothNoActionCascade }),
    .both(.noAction, .deny, { \.bothNoActionDeny }, { \.bothNoActionDeny }),
    .both(.nullify, .noAction, { \.bothNullifyNoAction }, { \.bothNullifyNoAction }),
    .both(.nullify, .nullify, { \.bothNullifyNullify }, { \.bothNullifyNullify }),
    .both(.nullify, .cascade, { \.bothNullifyCascade }, { \.bothNullifyCascade }),
    .both(.nullify, .deny, { \.bothNullifyDeny }, { \.bothNullifyDeny }),
    .both(.cascade, .noAction, { \.bothCascadeNoAction }, { \.bothCascadeNoAction }),
    .both(.cascade, .nullify, { \.bothCascadeNullify }, { \.bothCascadeNullify }),
    .both(.cascade, .cascade, { \.bothCascadeCascade }, { \.bothCascadeCascade }),
    .both(.cascade, .deny, { \.bothCascadeDeny }, { \.bothCascadeDeny }),
    .both(.deny, .noAction, { \.bothDenyNoAction }, { \.bothDenyNoAction }),
    .both(.deny, .nullify, { \.bothDenyNullify }, { \.bothDenyNullify }),
    .both(.deny, .cascade, { \.bothDenyCascade }, { \.bothDenyCascade }),
    .both(.deny, .deny, { \.bothDenyDeny }, { \.bothDenyDeny }),
  ]

  // Key paths are made anew by each call, as they are not Sendable.
  private typealias Path<Root, Value> = @Sendable () -> ReferenceWritableKeyPath<Root, Value>
  private typealias Rule = Schema.Relationship.DeleteRule

  private static func many(
    _ hubRule: Rule, _ leafRule: Rule, _ leaves: @escaping Path<Hub, [Leaf]>, _ hub: @escaping Path<Leaf, Hub?>
  ) -> RulePair {
    RulePair(
      form: "one to many", hubRule: hubRule, leafRule: leafRule, link: { $0[keyPath: leaves()].append($1) },
      leaves: { $0[keyPath: leaves()] }, hubs: { [$0[keyPath: hub()]].compactMap { $0 } })
  }

  private static func one(
    _ hubRule: Rule, _ leafRule: Rule, _ leaf: @escaping Path<Hub, Leaf?>, _ hub: @escaping Path<Leaf, Hub?>
  ) -> RulePair {
    RulePair(
      form: "one to one", hubRule: hubRule, leafRule: leafRule, link: { $0[keyPath: leaf()] = $1 },
      leaves: { [$0[keyPath: leaf()]].compactMap { $0 } }, hubs: { [$0[keyPath: hub()]].compactMap { $0 } })
  }

  private static func both(
    _ hubRule: Rule, _ leafRule: Rule, _ leaves: @escaping Path<Hub, [Leaf]>, _ hubs: @escaping Path<Leaf, [Hub]>
  ) -> RulePair {
    RulePair(
      form: "many to many", hubRule: hubRule, leafRule: leafRule, link: { $1[keyPath: hubs()].append($0) },
      leaves: { $0[keyPath: leaves()] }, hubs: { $0[keyPath: hubs()] })
  }
}

/// The whole matrix: each rule of one side beside each of the other, deleting either side.
@Suite struct DeleteRuleMatrixTests {
  private func context() throws -> (ModelContext, Hub, Leaf) {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: Hub.self, configurations: configuration))
    let (hub, leaf) = (Hub(name: "hub"), Leaf(name: "leaf"))
    context.insert(hub)
    context.insert(leaf)
    return (context, hub, leaf)
  }

  @Test(arguments: RulePair.all)
  func `the hub is deleted`(pair: RulePair) throws {
    let (context, hub, leaf) = try context()
    pair.link(hub, leaf)
    try context.save()
    context.delete(hub)
    #expect(pair.hubs(leaf).isEmpty)
    guard pair.hubRule != .deny else { return try expectDenied(context, pair, hub, leaf) }
    try context.save()
    #expect(hub.isDeleted && leaf.isDeleted == (pair.hubRule == .cascade))
    #expect(hub.name == "hub" && leaf.name == "leaf" && pair.hubs(leaf).isEmpty)
    let fresh = ModelContext(context.container)
    #expect(try fresh.fetchCount(FetchDescriptor<Hub>()) == 0)
    let leaves = try fresh.fetch(FetchDescriptor<Leaf>())
    #expect(leaves.count == (pair.hubRule == .cascade ? 0 : 1))
    #expect(leaves.allSatisfy { pair.hubs($0).isEmpty })
  }

  @Test(arguments: RulePair.all)
  func `the leaf is deleted`(pair: RulePair) throws {
    let (context, hub, leaf) = try context()
    pair.link(hub, leaf)
    try context.save()
    context.delete(leaf)
    #expect(pair.leaves(hub).isEmpty)
    guard pair.leafRule != .deny else { return try expectDenied(context, pair, hub, leaf) }
    try context.save()
    #expect(leaf.isDeleted && hub.isDeleted == (pair.leafRule == .cascade))
    #expect(hub.name == "hub" && leaf.name == "leaf" && pair.leaves(hub).isEmpty)
    let fresh = ModelContext(context.container)
    #expect(try fresh.fetchCount(FetchDescriptor<Leaf>()) == 0)
    let hubs = try fresh.fetch(FetchDescriptor<Hub>())
    #expect(hubs.count == (pair.leafRule == .cascade ? 0 : 1))
    #expect(hubs.allSatisfy { pair.leaves($0).isEmpty })
  }

  @Test(arguments: RulePair.all)
  func `both sides are deleted in one save, whatever the rules`(pair: RulePair) throws {
    let (context, hub, leaf) = try context()
    pair.link(hub, leaf)
    try context.save()
    context.delete(leaf)
    context.delete(hub)
    try context.save()
    #expect(hub.isDeleted && leaf.isDeleted)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Leaf>()) == 0)
  }

  @Test(arguments: RulePair.all)
  func `each side shows the other, here and in another context`(pair: RulePair) throws {
    let (context, hub, leaf) = try context()
    pair.link(hub, leaf)
    #expect(pair.leaves(hub) == [leaf] && pair.hubs(leaf) == [hub])
    try context.save()
    #expect(pair.leaves(hub) == [leaf] && pair.hubs(leaf) == [hub])
    let fresh = ModelContext(context.container)
    let there = try #require(try fresh.fetch(FetchDescriptor<Hub>()).first)
    #expect(pair.leaves(there).map(\.name) == ["leaf"])
    #expect(pair.leaves(there).flatMap(pair.hubs) == [there])
  }

  /// The save throws, changes nothing, and the objects come back by a rollback.
  private func expectDenied(_ context: ModelContext, _ pair: RulePair, _ hub: Hub, _ leaf: Leaf) throws {
    #expect { try context.save() } throws: { error in
      SwiftDataError.modelValidationFailure ~= error && "\(error)".contains("deny")
    }
    let fresh = ModelContext(context.container)
    #expect(try fresh.fetchCount(FetchDescriptor<Hub>()) == 1 && fresh.fetchCount(FetchDescriptor<Leaf>()) == 1)
    context.rollback()
    #expect(!hub.isDeleted && !leaf.isDeleted && !context.hasChanges)
    #expect(pair.leaves(hub) == [leaf] && pair.hubs(leaf) == [hub])
  }
}
