package import RecordStore

/// The first line of a dump: what it is, which store it was, and the catalogue that its records are read with.
///
/// `{"tandemDump":3,"store":"<id>","replica":"<id>","vector":{…},"catalogue":{…}}`.
/// The catalogue is the store's own, numbers included, so that a dump of any schema comes back whole.
package struct DumpHeader: Hashable, Sendable {
  /// The newest that this build reads, and the one that it writes.
  package static let format = 3

  package var storeID: RecordID
  package var replica: ReplicaID
  package var vector: VersionVector
  package var catalogue: Catalogue
  /// From 2 lines with once keys and of alias classes may follow, from 3 a last line ends the dump.
  package var format: Int

  var hasEnd: Bool { format >= 3 }

  package init(
    storeID: RecordID, replica: ReplicaID, vector: VersionVector, catalogue: Catalogue,
    format: Int = DumpHeader.format
  ) {
    self.format = format
    self.storeID = storeID
    self.replica = replica
    self.vector = vector
    self.catalogue = catalogue
  }

  package func json() throws -> JSON {
    [
      "tandemDump": .integer(format), "store": .string(storeID.description),
      "replica": .string(replica.description), "vector": vector.json, "catalogue": try JSON(encoding: catalogue),
    ]
  }

  /// Whether a line claims to be a dump's first one, readable or not.
  package static func isClaimed(by json: JSON) -> Bool { json["tandemDump"] != nil }

  package init(json: JSON) throws(InspectionError) {
    guard let format = json["tandemDump"]?.integerValue(as: Int.self) else {
      throw InspectionError(.notADump, "line 1 is not the schema line of a dump; give a file that `tandem dump` wrote")
    }
    guard (1...DumpHeader.format).contains(format) else {
      throw InspectionError(
        .newerDump, "the dump has format \(format), this build reads up to \(DumpHeader.format); update tandem")
    }
    guard let storeID = json["store"]?.stringValue.flatMap({ RecordID($0) }),
      let replica = json["replica"]?.stringValue.flatMap({ ReplicaID($0) }),
      let vector = json["vector"].flatMap({ VersionVector(json: $0) }), let catalogue = json["catalogue"]
    else {
      throw InspectionError(.malformedLine, "line 1 lacks a member of the schema line; dump the store again")
    }
    do {
      self.init(
        storeID: storeID, replica: replica, vector: vector, catalogue: try catalogue.decoded(as: Catalogue.self),
        format: format)
    } catch {
      throw InspectionError(
        .malformedLine, "line 1 holds a catalogue that cannot be read; dump the store again", cause: error)
    }
  }
}
