import Foundation

/// A moment in the two times that astronomy counts by, as Julian days.
struct AstronomicalMoment: Sendable {
  /// Universal time, which the rotation of the Earth follows. Clocks keep within a second of it.
  let universal: Double
  /// Terrestrial time, which runs evenly and which planets follow.
  let terrestrial: Double

  init(_ date: Date) {
    universal = 2_440_587.5 + date.timeIntervalSince1970 / 86_400
    terrestrial = universal + Self.lead(at: universal) / 86_400
  }

  /// Seconds by which terrestrial time leads universal time.
  ///
  /// libnova has a function for it that leaps by a minute in 2010, which the Moon would show. These are the measured
  /// values of the Astronomical Almanac for every fifth year, and for 2050 and 2100 what Stephenson, Morrison and
  /// Hohenkerk (2016) expect; nobody can know those. A second moves the Moon by 0.00015°.
  static func lead(at universal: Double) -> Double {
    let year = 2000 + (universal - 2_451_544.5) / 365.25
    let steps = zip(years, years.dropFirst())
    let index = steps.enumerated().first { year < $0.element.1 }?.offset ?? years.count - 2
    let part = (year - years[index]) / (years[index + 1] - years[index])
    return leads[index] + (leads[index + 1] - leads[index]) * part
  }

  private static let years: [Double] = stride(from: 1900, through: 2025, by: 5).map(Double.init) + [2050, 2100]
  private static let leads: [Double] = [
    -2.72, 3.86, 10.46, 17.20, 21.16, 23.62, 24.02, 23.93, 24.33, 26.77, 29.15, 31.07, 33.15, 35.73, 40.18, 45.48,
    50.54, 54.34, 56.86, 60.78, 63.83, 64.69, 66.07, 67.64, 69.36, 69.14, 75, 93,
  ]
}
