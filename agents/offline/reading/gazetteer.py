"""Places that requests name: cities, countries and areas of law, with where they lie.

Only geography stands here. Which places a provider runs regions in comes from its bundle.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.offline.reading.text import vocabulary


@dataclass(frozen=True, slots=True)
class Place:
    """A city or a country: its country's English name and its position in degrees."""

    name: str
    country: str
    latitude: float
    longitude: float
    city: bool


_COUNTRIES = """
Germany|Deutschland|Allemagne|Alemania|Bundesrepublik:50.1,8.7
Austria|Österreich|Autriche:48.2,16.4
Switzerland|Schweiz|Suisse|Suiza:47.4,8.5
France|Frankreich|Francia:48.9,2.4
Spain|España|Spanien|Espagne:40.4,-3.7
Portugal:38.7,-9.1
Italy|Italien|Italie|Italia:45.5,9.2
Belgium|Belgien|Belgique|Bélgica:50.5,3.8
Netherlands|the Netherlands|Holland|Niederlande|Niederlanden|Pays-Bas|Países Bajos:53.4,6.8
Luxembourg|Luxemburg:49.6,6.1
Ireland|Irland|Irlande|Irlanda:53.3,-6.3
United Kingdom|UK|Great Britain|England|Scotland|Großbritannien|Royaume-Uni|Reino Unido:51.5,-0.1
Denmark|Dänemark|Danemark|Dinamarca:55.7,12.6
Norway|Norwegen|Norvège:59.9,10.8
Sweden|Schweden|Suède|Suecia:59.3,18.1
Finland|Finnland|Finlande|Finlandia:60.6,27.2
Iceland|Island:64.1,-21.9
Poland|Polen|Pologne|Polonia:52.2,21.0
Czechia|Czech Republic|Tschechien:50.1,14.4
Slovakia:48.1,17.1
Hungary|Ungarn|Hongrie:47.5,19.0
Romania|Rumänien|Roumanie:44.4,26.1
Bulgaria:42.7,23.3
Greece|Griechenland|Grèce|Grecia:38.0,23.7
Croatia:45.8,16.0
Slovenia:46.1,14.5
Estonia:59.4,24.8
Latvia:56.9,24.1
Lithuania:54.7,25.3
Malta:35.9,14.5
Cyprus:35.2,33.4
Liechtenstein:47.1,9.5
United States|US|USA|U.S.|the States|Vereinigte Staaten|États-Unis|Estados Unidos:41.3,-95.9
Canada|Kanada:45.5,-73.6
Mexico|México|Mexiko|Mexique:20.6,-100.4
Brazil|Brasil|Brasilien|Brésil:-23.6,-46.6
Chile:-33.4,-70.7
Argentina:-34.6,-58.4
Colombia:4.7,-74.1
Japan|Japon:35.7,139.7
South Korea|Korea:37.6,127.0
Taiwan:24.1,120.5
Hong Kong:22.3,114.2
India|Indien|Inde:19.1,72.9
Singapore|Singapur:1.3,103.7
Indonesia:-6.2,106.8
Malaysia:3.1,101.7
Thailand:13.8,100.5
Vietnam:21.0,105.8
Philippines:14.6,121.0
Australia|Australien|Australie:-33.9,151.2
New Zealand:-36.8,174.8
Israel:32.1,34.8
Qatar:25.3,51.5
Saudi Arabia|KSA:26.4,50.1
United Arab Emirates|UAE:25.2,55.3
Turkey|Türkiye:41.0,29.0
South Africa|Südafrika:-26.2,28.0
Nigeria:6.5,3.4
Kenya:-1.3,36.8
Egypt:30.0,31.2
"""

_CITIES = """
Germany:Frankfurt|Frankfurt am Main:50.1,8.7;Berlin:52.5,13.4;Munich|München:48.1,11.6
Germany:Hamburg:53.6,10.0;Cologne|Köln:50.9,7.0;Stuttgart:48.8,9.2;Düsseldorf:51.2,6.8
Germany:Leipzig:51.3,12.4;Hannover|Hanover:52.4,9.7;Nuremberg|Nürnberg:49.5,11.1;Eschborn:50.1,8.6
Austria:Vienna|Wien:48.2,16.4;Graz:47.1,15.4;Linz:48.3,14.3;Salzburg:47.8,13.0
Switzerland:Zurich|Zürich:47.4,8.5;Geneva|Genf|Genève:46.2,6.1;Basel:47.6,7.6;Berne:46.9,7.4
France:Paris:48.9,2.4;Lyon:45.8,4.8;Marseille:43.3,5.4;Toulouse:43.6,1.4;Lille:50.6,3.1
France:Bordeaux:44.8,-0.6;Nantes:47.2,-1.6;Strasbourg:48.6,7.8
Spain:Madrid:40.4,-3.7;Barcelona:41.4,2.2;Valencia:39.5,-0.4;Seville|Sevilla:37.4,-6.0;Bilbao:43.3,-2.9
Portugal:Lisbon|Lisboa:38.7,-9.1;Porto:41.1,-8.6
Italy:Milan|Milano|Mailand:45.5,9.2;Turin|Torino:45.1,7.7;Rome|Roma:41.9,12.5
Belgium:St. Ghislain|Saint-Ghislain:50.5,3.8;Brussels|Brüssel|Bruxelles:50.9,4.4;Antwerp:51.2,4.4
Netherlands:Eemshaven:53.4,6.8;Amsterdam:52.4,4.9;Rotterdam:51.9,4.5;Utrecht:52.1,5.1
Luxembourg:Luxembourg City:49.6,6.1
Ireland:Dublin:53.3,-6.3
United Kingdom:London|Londres:51.5,-0.1;Manchester:53.5,-2.2;Leeds:53.8,-1.5;Edinburgh:55.9,-3.2
United Kingdom:Birmingham:52.5,-1.9;Glasgow:55.9,-4.3;Bristol:51.5,-2.6;Belfast:54.6,-5.9
Denmark:Copenhagen|Kopenhagen:55.7,12.6;Aarhus:56.2,10.2
Norway:Oslo:59.9,10.8;Bergen:60.4,5.3
Sweden:Stockholm:59.3,18.1;Gothenburg|Göteborg:57.7,12.0
Finland:Helsinki:60.2,24.9;Hamina:60.6,27.2
Poland:Warsaw|Warszawa|Warschau:52.2,21.0;Krakow|Kraków:50.1,19.9
Czechia:Prague|Prag:50.1,14.4
Hungary:Budapest:47.5,19.0
Romania:Bucharest:44.4,26.1
Greece:Athens:38.0,23.7
United States:Council Bluffs|Iowa:41.3,-95.9;Ashburn|Northern Virginia|Virginia:39.0,-77.5
United States:New York|NYC:40.7,-74.0;Boston:42.4,-71.1;Chicago:41.9,-87.6;Atlanta:33.7,-84.4
United States:Miami:25.8,-80.2;Houston:29.8,-95.4;Dallas|Texas:32.8,-96.8;Austin:30.3,-97.7
United States:Denver:39.7,-105.0;Seattle:47.6,-122.3;San Francisco:37.8,-122.4;Phoenix:33.4,-112.1
United States:Los Angeles|California:34.1,-118.2;Las Vegas:36.2,-115.1;Salt Lake City:40.8,-111.9
United States:The Dalles|Oregon:45.6,-121.2;Columbus|Ohio:40.0,-83.0;Moncks Corner:33.2,-80.0
United States:South Carolina:33.2,-80.0;Utah:40.8,-111.9;Nevada:36.2,-115.1
Canada:Toronto|Ontario:43.7,-79.4;Montréal|Montreal|Québec|Quebec:45.5,-73.6;Vancouver:49.3,-123.1
Canada:Calgary:51.0,-114.1;Ottawa:45.4,-75.7
Mexico:Querétaro|Queretaro:20.6,-100.4;Mexico City:19.4,-99.1
Brazil:São Paulo|Sao Paulo|Osasco:-23.6,-46.6;Rio de Janeiro:-22.9,-43.2
Chile:Santiago:-33.4,-70.7
Argentina:Buenos Aires:-34.6,-58.4
Colombia:Bogotá|Bogota:4.7,-74.1
Japan:Tokyo|Tokio:35.7,139.7;Osaka:34.7,135.5
South Korea:Seoul:37.6,127.0
Taiwan:Changhua|Changhua County:24.1,120.5;Taipei:25.0,121.5
India:Mumbai:19.1,72.9;Delhi|New Delhi:28.6,77.2;Bangalore|Bengaluru:13.0,77.6;Hyderabad:17.4,78.5
India:Chennai:13.1,80.3;Pune:18.5,73.9
Singapore:Jurong West:1.3,103.7
Indonesia:Jakarta:-6.2,106.8
Malaysia:Kuala Lumpur:3.1,101.7
Thailand:Bangkok:13.8,100.5
Australia:Sydney:-33.9,151.2;Melbourne:-37.8,145.0;Brisbane:-27.5,153.0;Perth:-31.9,115.9
New Zealand:Auckland:-36.8,174.8
Israel:Tel Aviv:32.1,34.8
Qatar:Doha:25.3,51.5
Saudi Arabia:Dammam:26.4,50.1;Riyadh:24.7,46.7
United Arab Emirates:Dubai:25.2,55.3
Turkey:Istanbul:41.0,29.0
South Africa:Johannesburg:-26.2,28.0;Cape Town:-33.9,18.4
Nigeria:Lagos:6.5,3.4
Kenya:Nairobi:-1.3,36.8
"""

_EU = vocabulary(
    "Germany Austria France Spain Portugal Italy Belgium Netherlands Luxembourg Ireland "
    "Denmark"
    " Sweden Finland Poland Czechia Slovakia Hungary Romania Bulgaria Greece Croatia Slovenia"
    " Estonia Latvia Lithuania Malta Cyprus"
)
_EEA = _EU | {"Norway", "Iceland", "Liechtenstein"}
_EUROPE = _EEA | {"Switzerland", "United Kingdom"}
_NORTH_AMERICA = frozenset({"United States", "Canada", "Mexico"})
_ASIA = frozenset(
    {"Japan", "South Korea", "Taiwan", "Hong Kong", "India", "Singapore", "Indonesia", "Malaysia",
     "Thailand", "Vietnam", "Philippines"}
)  # fmt: skip

AREAS: dict[str, frozenset[str]] = {
    "EU": _EU,
    "EEA": _EEA,
    "Europe": _EUROPE,
    "Nordics": frozenset({"Finland", "Sweden", "Denmark", "Norway", "Iceland"}),
    "DACH": frozenset({"Germany", "Austria", "Switzerland"}),
    "Benelux": frozenset({"Belgium", "Netherlands", "Luxembourg"}),
    "North America": _NORTH_AMERICA,
    "South America": frozenset({"Brazil", "Chile", "Argentina", "Colombia"}),
    "Asia": _ASIA,
    "Asia Pacific": _ASIA | {"Australia", "New Zealand"},
    "Middle East": frozenset({"Israel", "Qatar", "Saudi Arabia", "United Arab Emirates"}),
    "Africa": frozenset({"South Africa", "Nigeria", "Kenya", "Egypt"}),
}
"""Areas that requests and laws speak of, as sets of countries."""

_AREA_NAMES: dict[str, str] = {
    "EU": "EU", "European Union": "EU", "Europäischen Union": "EU", "Europäische Union": "EU",
    "Union européenne": "EU", "UE": "EU", "Unión Europea": "EU", "EU region": "EU",
    "EEA": "EEA", "EWR": "EEA", "EEE": "EEA",
    "Europe": "Europe", "Europa": "Europe",
    "Nordics": "Nordics", "Nordic": "Nordics", "Scandinavia": "Nordics", "Skandinavien": "Nordics",
    "DACH": "DACH", "Benelux": "Benelux", "North America": "North America",
    "LATAM": "South America",
    "South America": "South America", "Latin America": "South America", "Asia": "Asia",
    "APAC": "Asia Pacific", "Asia Pacific": "Asia Pacific", "Asia-Pacific": "Asia Pacific",
    "Middle East": "Middle East", "Africa": "Africa",
}  # fmt: skip

AMBIGUOUS = frozenset({"us", "ue", "eee", "turkey", "columbus", "phoenix", "island", "austin"})
"""Names that are also ordinary words: they count only as they are spelt here."""


def _position(text: str) -> tuple[float, float]:
    latitude, longitude = text.split(",")
    return float(latitude), float(longitude)


def _load() -> tuple[dict[str, Place], dict[str, Place]]:
    names: dict[str, Place] = {}
    countries: dict[str, Place] = {}
    for line in _COUNTRIES.split("\n"):
        if line:
            spellings, at = line.rsplit(":", 1)
            first = spellings.split("|")[0]
            place = Place(first, first, *_position(at), city=False)
            countries[first] = place
            names.update(dict.fromkeys(spellings.split("|"), place))
    for line in _CITIES.split("\n"):
        if line:
            country, rest = line.split(":", 1)
            for entry in rest.split(";"):
                spellings, at = entry.rsplit(":", 1)
                place = Place(spellings.split("|")[0], country, *_position(at), city=True)
                names.update(dict.fromkeys(spellings.split("|"), place))
    return names, countries


PLACES, COUNTRIES = _load()
NAMES: dict[str, Place | str] = {**PLACES, **_AREA_NAMES}
"""Every spelling: a Place, or the key of an area."""
