import AstroSvitla
import Foundation

/// A chart as JSON, without its sky.
struct ChartRow: Encodable {
  var id: UUID
  var name: String
  var date: String
  /// Nil where nobody knows it.
  var time: String?
  var latitude: Double
  var longitude: Double
  var timeZone: String
  var place: String?
  var profile: String?
  var reports: Int

  init(_ chart: ChartDetails) {
    id = chart.id
    name = chart.birth.name
    date = chart.birth.day.description
    time = chart.birth.time?.description
    latitude = chart.birth.place.latitude
    longitude = chart.birth.place.longitude
    timeZone = chart.birth.place.timeZoneName
    place = chart.birth.place.name
    profile = chart.profileName
    reports = chart.reportCount
  }
}
